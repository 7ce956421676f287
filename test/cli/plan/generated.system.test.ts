import assert from 'node:assert/strict'
import fc from 'fast-check'
import { startInstance, type Instance } from '../../support/instance.ts'
import { aWorkspace, create } from './generated-workspace.ts'
import { WorkspaceFolder } from './workspace-folder.ts'

/** `PLAN_CASES=200` runs as many as the note of the release has. */
const CASES = Number(process.env['PLAN_CASES'] ?? 5)

const MAX_CASE_MS = 60_000

interface Campaign {
  name: string
}

describe('pull, plan and apply of generated workspaces', () => {
  let service: Instance
  before(async () => void (service = await startInstance({ worker: false, env: { SECRETS_KEY: 'k'.repeat(44) } })))
  after(() => service.stop())

  it('have no changes after a pull, and agree with another workspace after an apply', async () => {
    await fc.assert(
      fc.asyncProperty(aWorkspace, async (given) => {
        const folder = new WorkspaceFolder(service, await service.newKey())
        try {
          await create(given, folder)
          await folder.pull()
          assert.deepEqual(await folder.plan(), [])
          assert.deepEqual(await folder.apply(), [])
          assert.deepEqual(without(await folder.pull(), 'unchanged'), [])
          assert.ok(!folder.read('dripline.lock').includes('s3cret'))
          await applyToAnother(folder, (await folder.api('GET', 'campaigns')) as Campaign[])
        } finally {
          folder.delete()
        }
      }),
      { numRuns: CASES },
    )
  }).timeout(CASES * MAX_CASE_MS)

  const without = (statuses: Record<string, string>, status: string) =>
    Object.entries(statuses).filter(([, one]) => one !== status)

  /** Sets each variable to which a header of a step refers. */
  const secretsOf = (folder: WorkspaceFolder): NodeJS.ProcessEnv => {
    const texts = folder
      .files()
      .filter((file) => file.endsWith('.yaml'))
      .map(folder.read)
    const names = texts.flatMap((text) => [...text.matchAll(/\$\{env:(\w+)\}/g)].map(([, name]) => name!))
    return Object.fromEntries(names.map((name) => [name, 'another']))
  }

  /** References to what was deleted, and names that are not unique, fit no other workspace. */
  async function applyToAnother(folder: WorkspaceFolder, campaigns: Campaign[]): Promise<void> {
    folder.key = await service.newKey()
    for (const { name } of campaigns) await folder.api('POST', 'campaigns', { name, subject: 'Hi', text: 'Hi' })
    const { data } = (await folder.call('GET', 'whoami')).body as { data: { workspace: { id: string } } }
    const workspace = ['--workspace', data.workspace.id]
    const { stderr } = await folder.run('plan', workspace)
    if (/Names must be unique|has nothing with the ID|several campaigns/.test(stderr)) return
    assert.equal(stderr, '')
    await folder.apply(workspace, secretsOf(folder))
    assert.deepEqual(await folder.plan(), [])
    assert.deepEqual(without(await folder.pull(), 'unchanged'), [])
  }
})
