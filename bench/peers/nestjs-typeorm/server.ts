// A peer: the virtual numbers as NestJS, TypeORM and nestjs-paginate make them. Compiled into dist/ before it
// runs, because Node does not run decorators. `node dist/server.js PORT DATABASE_URL`

import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NumbersController, TokenGuard } from './numbers.controller.js';
import { ApiToken, VirtualNumber } from './tables.js';

const [port, url = ''] = process.argv.slice(2);
const entities = [ApiToken, VirtualNumber];

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url, schema: 'peers', entities, poolSize: 10, logging: false }),
    TypeOrmModule.forFeature(entities),
  ],
  controllers: [NumbersController],
  providers: [TokenGuard],
})
class Peer {}

const app = await NestFactory.create(Peer, { logger: false });
await app.listen(Number(port), '127.0.0.1');
