// Agents over HTTP: the official clients of the Model Context Protocol, of each era.

import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const NAME = { name: 'test', version: '1.0.0' };

export interface ToolAnswer {
  readonly text: string;
  readonly content: Readonly<Record<string, unknown>> | undefined;
  readonly isError: boolean;
}

export interface Agent {
  /** The version that was agreed on. */
  readonly version: string | undefined;
  readonly instructions: string | undefined;
  /** What the service is called. */
  readonly title: string | undefined;
  listTools(): Promise<readonly { readonly name: string }[]>;
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

type Options = NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>;

/** Signs in where it is sent, and returns what is sent back to the client. */
type SignIn = () => Promise<URLSearchParams>;

/** Connects; the first attempt of one that has to sign in fails. */
async function connectTo<T extends { finishAuth(code: string, iss?: string): Promise<void> }>(
  transportOf: () => T,
  connect: (transport: T) => Promise<void>,
  signIn: SignIn | undefined,
): Promise<T> {
  const first = transportOf();
  if (signIn === undefined) {
    await connect(first);
    return first;
  }
  await connect(first).catch(() => {});
  const sent = await signIn();
  await first.finishAuth(sent.get('code') ?? '', sent.get('iss') ?? undefined);
  const second = transportOf();
  await connect(second);
  return second;
}

function answerOf(result: object): ToolAnswer {
  const { content, structuredContent, isError } = result as {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent?: ToolAnswer['content'];
    readonly isError?: boolean;
  };
  return { text: content[0]?.text ?? '', content: structuredContent, isError: isError === true };
}

type Connect = (url: string, options: Options, signIn?: SignIn) => Promise<Agent>;

/** What both clients can. */
const agentOf = (client: Client | OlderClient, version: string | undefined): Agent => ({
  version,
  instructions: client.getInstructions(),
  title: client.getServerVersion()?.title,
  listTools: async () => (await client.listTools()).tools,
  call: async (name, given = {}) => answerOf(await client.callTool({ name, arguments: given })),
  close: () => client.close(),
});

const newer =
  (clientOptions: ClientOptions): Connect =>
  async (url, options, signIn) => {
    const client = new Client(NAME, clientOptions);
    await connectTo(
      () => new StreamableHTTPClientTransport(new URL(url), options),
      (transport) => client.connect(transport),
      signIn,
    );
    return agentOf(client, client.getNegotiatedProtocolVersion());
  };

const older: Connect = async (url, options, signIn) => {
  const client = new OlderClient(NAME);
  const transport = await connectTo(
    () => new OlderTransport(new URL(url), options as ConstructorParameters<typeof OlderTransport>[1]),
    (one) => client.connect(one as Parameters<typeof client.connect>[0]),
    signIn,
  );
  return agentOf(client, transport.protocolVersion);
};

/** By the version of the protocol and, where there are two, the client. */
export const agents = {
  '2026-07-28': newer({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  '2025-11-25': newer({}),
  '2025-11-25, the client of that time': older,
} satisfies Record<string, Connect>;

export const withToken = (token: string, headers: Record<string, string> = {}): Options => ({
  requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
});
