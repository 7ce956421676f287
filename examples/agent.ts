/** Proposes a new subject for the first email of an automation: node agent.ts AUTOMATION_ID "New subject" */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const { DRIPLINE_URL = 'http://localhost:3000', DRIPLINE_API_KEY = '' } = process.env
const [id, subject] = process.argv.slice(2)

const headers = { authorization: `Bearer ${DRIPLINE_API_KEY}` }
const client = new Client({ name: 'Example', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', DRIPLINE_URL), { requestInit: { headers } }))

async function call<Result>(tool: string, given: Record<string, unknown>): Promise<Result> {
  const { structuredContent, isError } = await client.callTool({ name: tool, arguments: given })
  if (isError) throw new Error(JSON.stringify(structuredContent))
  return structuredContent as Result
}

type Read = { data: { steps: { type: string; subject?: string }[] }; revision: number }
const { data, revision } = await call<Read>('get_automation', { id })
const first = data.steps.findIndex(({ type }) => type === 'EMAIL')
const steps = data.steps.map((step, n) => (n === first ? { ...step, subject } : step))
const reason = `The subject "${data.steps[first]?.subject}" is too general.`
const proposal = await call<{ data: { id: string; status: string } }>('propose_publish_automation', {
  ...{ id, revision, reason, steps },
})
console.log(JSON.stringify({ proposalId: proposal.data.id, status: proposal.data.status }))
await client.close()
