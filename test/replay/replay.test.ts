import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import { Worker } from '@temporalio/worker'
import { workflowBundle } from '../support/workflow-bundle.ts'

const FOLDER = join(import.meta.dirname, 'histories')

/** The current version must be able to continue the workflows of every released version. */
describe('replay of recorded histories', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))

  it('has histories to replay', () => assert.ok(files.length >= 8))

  for (const file of files) {
    it(file, async function () {
      this.timeout(180_000)
      const history: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
      await Worker.runReplayHistory(
        { workflowBundle: await workflowBundle() },
        historyFromJSON(history),
        'enrollment:a:c',
      )
    })
  }
})
