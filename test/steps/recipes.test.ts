import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { AutomationInput } from '../../src/automations/automations.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { enrollmentWorkflowId } from '../../src/automation-engine/index.ts'
import { enrollContact } from '../../src/enrollments/enroll-contact.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'

const FOLDER = new URL('../../examples/', import.meta.url)

/** The subjects that a contact without metadata and without events gets, and how the enrollment ends. */
const EXPECTED: Record<string, string[]> = {
  'abandoned-cart.json': ['You left something in your cart', 'Your cart expires soon', 'COMPLETED'],
  'birthday.json': ['Happy birthday, Ada', 'COMPLETED'],
  'failed-payment.json': [
    'Your payment failed',
    'Your payment is still due',
    'Your subscription ends today',
    'COMPLETED',
  ],
  'plan-follow-up.json': ['Welcome, Ada', 'C: Create your first project', 'COMPLETED'],
  'post-purchase.json': ['Thank you for your order', 'How do you like it?', 'COMPLETED'],
  // The contact has no date at which the trial ends.
  'trial.json': ['Your trial has begun', 'Create your first project', 'EXITED'],
  'welcome.json': ['Welcome, Ada', 'Three things to try first', 'How is it going?', 'COMPLETED'],
  'win-back.json': ['It has been a while', 'Do you still want to hear from us?', 'COMPLETED'],
}

describe('each recipe', () => {
  let world: TimeSkipping
  useTimeSkipping((opened) => (world = opened))

  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
    it(`in ${file} runs to its end`, async () => {
      const { steps, ...recipe } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as AutomationInput & {
        steps: StepInput[]
      }
      // Only this contact enters.
      const own = { trigger: 'EVENT' as const, triggerConfig: { eventName: `run ${file}` } }
      const automationId = await world.automation(steps, { ...recipe, ...own, status: 'ACTIVE' })
      const contactId = await world.contact()
      const key = typeof recipe.entry?.concurrency === 'object' ? { key: 'A-1' } : {}
      const status = await world.whileWorking(async () => {
        await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId, ...key }, newCall())
        const [row] = await sql<{ concurrency_key: string }>(
          world.orm.em,
          'select concurrency_key from enrollments where automation_id = $1',
          [automationId],
        )
        const id = enrollmentWorkflowId({ automationId, contactId, concurrencyKey: row!.concurrency_key })
        return ((await world.env.client.workflow.getHandle(id).result()) as { status: string }).status
      })
      assert.deepEqual([...world.subjects(), status], EXPECTED[file])
    })
  }
})
