import assert from 'node:assert/strict'
import { loadWorkspace } from '../../packages/testing/src/index.ts'

const email = (subject: string, fields: object = {}) => ({ type: 'EMAIL', subject, text: 'Hi', ...fields })

describe('conditions on messages in @dripline/testing', () => {
  it('does not count the email of another automation whose step has the same ID', async () => {
    const isSent = (message: string) => [{ name: 'Sent', if: { message, is: 'sent' }, steps: [email(`${message}!`)] }]
    const workspace = await loadWorkspace({
      segments: [{ name: 'Greeted', condition: { message: 'automations/Welcome#hello', is: 'sent' } }],
      automations: [
        { name: 'Welcome', trigger: 'SIGNUP', steps: [email('Hello', { id: 'hello' })] },
        {
          name: 'Vip',
          trigger: 'TAG_ADDED',
          triggerConfig: { tagName: 'vip' },
          steps: [
            { type: 'CONDITION', branches: isSent('hello') },
            { type: 'CONDITION', branches: isSent('automations/Welcome#hello') },
            { type: 'CONDITION', branches: isSent('campaigns/Sale') },
            { type: 'CONDITION', branches: [{ name: 'In', if: { segment: 'Greeted' }, steps: [email('Greeted')] }] },
            email('Vip', { id: 'hello' }),
            { type: 'CONDITION', branches: isSent('hello') },
          ],
        },
      ],
    })
    const ada = workspace.contact({ email: 'ada@example.com' })
    workspace.update(ada, { addTags: ['vip'] })
    assert.deepEqual(
      workspace.emails(ada).map(({ subject }) => subject),
      ['Hello', 'automations/Welcome#hello!', 'Greeted', 'Vip', 'hello!'],
    )
  })
})
