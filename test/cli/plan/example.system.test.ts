import assert from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { startInstance, type Instance } from '../../support/instance.ts'
import { runCli } from '../cli.ts'
import { WorkspaceFolder } from './workspace-folder.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/plan-and-apply')
const read = (file: string) => readFileSync(join(EXAMPLE, file), 'utf8')

interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<
    string,
    {
      permissions: Record<string, string>
      env: Record<string, string>
      steps: { uses?: string; run?: string; env?: object }[]
    }
  >
}

describe('the example of plan and apply', () => {
  let service: Instance
  let folder: WorkspaceFolder
  before(async () => {
    service = await startInstance({ worker: false })
    folder = new WorkspaceFolder(service, service.key)
    cpSync(join(EXAMPLE, 'dripline'), folder.path, { recursive: true })
  })
  after(async () => {
    folder.delete()
    await service.stop()
  })

  it('creates a welcome in an empty workspace, as the page shows it', async () => {
    const page = readFileSync(join(EXAMPLE, '../../docs/plan-and-apply.md'), 'utf8')
    assert.ok(page.includes(read('dripline/automations/welcome.yaml')))
    const { stdout } = await folder.run('plan')
    assert.ok(page.includes(stdout.slice(stdout.indexOf('+ create automations/welcome')).split('\n\n')[0]!), stdout)
    assert.deepEqual(await folder.apply(), [
      'snippets/signature',
      'templates/tips',
      'lists/newsletter',
      'automations/welcome',
    ])
    assert.deepEqual(await folder.plan(), [])
    const [welcome] = (await folder.api('GET', 'automations')) as { status: string; stepCount: number }[]
    assert.deepEqual([welcome!.status, welcome!.stepCount], ['active', 4])
  })

  it('has a workflow with the least permissions, whose commands exist', async () => {
    const { on, permissions, jobs } = parse(read('.github/workflows/dripline.yml')) as Workflow
    assert.deepEqual(Object.keys(on), ['pull_request', 'push'])
    assert.deepEqual(permissions, {})
    assert.deepEqual(jobs['plan']!.permissions, { contents: 'read', 'pull-requests': 'write' })
    assert.deepEqual(jobs['apply']!.permissions, { contents: 'write' })
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    const commands = steps.flatMap(({ run, uses }) => {
      assert.ok((run === undefined) !== (uses === undefined))
      // What a pull request contains must not become a part of a script.
      assert.doesNotMatch(run ?? '', /\$\{\{/)
      return [...(run ?? '').matchAll(/cli\.tgz" (\w+) dripline (.*?)(?: 2>|\n|$)/g)]
    })
    assert.deepEqual(
      commands.map(([, command]) => command),
      ['plan', 'apply'],
    )
    for (const [, command, options] of commands) {
      const help = (await runCli([command!, '--help'])).stdout
      for (const [option] of options!.matchAll(/--[\w-]+/g)) assert.match(help, new RegExp(`  ${option}\\b`))
    }
  })
})
