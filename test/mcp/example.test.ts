import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'
import { anAgent } from '../support/mcp.ts'
import { openWorkspace } from '../support/shared-service.ts'

const EXAMPLE = new URL('../../examples/agent.ts', import.meta.url)
const PAGE = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')

describe('the example of docs/agents.md', () => {
  it('proposes a new subject, with a key of the scopes that the page names', async () => {
    const service = await openWorkspace({ worker: false })
    const id = await anAutomation(service, { steps: [wait(5), { ...EMAIL, subject: 'Hello' }, EMAIL] })
    const scopes = ['automations:read', 'drafts:write'] as const
    for (const scope of scopes) assert.ok(PAGE.includes(`\`${scope}\``))
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes })
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [fileURLToPath(EXAMPLE), id, 'Your account is ready'],
      { env: { ...process.env, DRIPLINE_URL: `http://127.0.0.1:${service.port}`, DRIPLINE_API_KEY: key } },
    )
    const { proposalId, status } = JSON.parse(stdout) as { proposalId: string; status: string }
    assert.equal(status, 'PENDING')
    const { body } = await service.call('GET', `proposals/${proposalId}`)
    assert.equal(body.data.reason, 'The subject "Hello" is too general.')
    const subjects = (body.data.content as { steps: { subject?: string }[] }).steps.map(({ subject }) => subject)
    assert.deepEqual(subjects, [undefined, 'Your account is ready', 'Hello {{ contact.firstName }}'])
  })

  it('is quoted in full', () => {
    assert.ok(PAGE.includes(readFileSync(EXAMPLE, 'utf8').trim()))
  })

  it('lists every tool', async () => {
    const service = await openWorkspace({ worker: false })
    const agent = await anAgent(service, service.key)
    const missing = (await agent.tools()).filter((name) => !PAGE.includes(`\`${name}\``))
    await agent.close()
    assert.deepEqual(missing, [])
  })
})
