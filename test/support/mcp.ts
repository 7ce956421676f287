import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Service } from './service.ts'

export interface ToolAnswer {
  /** The code of an error. */
  refused: string | undefined
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the tests look into answers of all shapes
  content: any
  /** The whole answer, as the agent gets it. */
  text: string
}

export interface Agent {
  client: Client
  /** Calls a tool. */
  call(tool: string, given?: Record<string, unknown>): Promise<ToolAnswer>
  tools(): Promise<string[]>
  close(): Promise<void>
}

/** Connects the official client to a service, with a key. */
export async function anAgent({ port }: Pick<Service, 'port'>, key: string): Promise<Agent> {
  const client = new Client({ name: 'A test', version: '1.0.0' })
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  )
  return {
    client,
    async call(tool, given = {}) {
      const { structuredContent, content } = await client.callTool({ name: tool, arguments: given })
      const { code } = structuredContent as { code?: string }
      return { refused: code, content: structuredContent, text: JSON.stringify([structuredContent, content]) }
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  }
}
