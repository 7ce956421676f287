import assert from 'node:assert/strict'
import { Names } from '../../../packages/cli/src/plan/names.ts'

describe('the names of steps in files', () => {
  it('are those of their automation, also if another one has the same', () => {
    const automation = (name: string) => ({ kind: 'automations', name, id: name, path: `automations/${name}` }) as const
    const names = new Names([automation('a'), automation('b')])
    names.addSteps('automations/a', ['hello'], {})
    names.addSteps('automations/b', ['hello'], { hello: 'id-in-b' })
    assert.deepEqual(names.findMessage('automations/a#hello'), { id: 'hello' })
    assert.deepEqual(names.findMessage('automations/b#hello'), { id: 'id-in-b' })
    assert.deepEqual(names.findMessage('automations/a#bye'), {
      problem: 'automations/a.yaml has no step with the ID "bye".',
    })
    assert.equal(names.messageTextOf('id-in-b'), 'automations/b#hello')
  })

  it('are found if two automations have the same, and the workspace has neither', () => {
    const automation = (name: string) => ({ kind: 'automations', name, path: `automations/${name}` }) as const
    const names = new Names([automation('a'), automation('b')])
    names.addSteps('automations/a', ['hello'], {})
    names.addSteps('automations/b', ['hello'], {})
    for (const name of ['a', 'b']) assert.ok('id' in names.findMessage(`automations/${name}#hello`))
  })
})
