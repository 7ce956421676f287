import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import { Worker } from '@temporalio/worker'
import { workflowBundle } from '../support/workflow-bundle.ts'

const FOLDER = join(import.meta.dirname, 'histories')

/** The current version must be able to continue the workflows of every released version. */
describe('replay of recorded histories', () => {
  it('continues all of them', async function () {
    this.timeout(180_000)
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
    assert.ok(files.length >= 8)
    const options = { workflowBundle: await workflowBundle() }
    const deviations: string[] = []
    for (const file of files) {
      const history = historyFromJSON(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as unknown)
      await Worker.runReplayHistory(options, history, 'enrollment:a:c').catch((error: unknown) =>
        deviations.push(`${file}: ${String(error)}`),
      )
    }
    assert.deepEqual(deviations, [])
  })
})
