import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { STEP_TYPES } from '../../src/automation-engine/index.ts'
import { createAutomationSchema, stepsSchema, updateAutomationSchema } from '../../src/automations/schemas.ts'
import { validate } from '../../src/http/parse.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const pages = [...globSync('docs/automations/*.md', { cwd: ROOT }), 'docs/webhooks.md'].map(read)

const examples = pages.flatMap((page) =>
  [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) => JSON.parse(json!) as Record<string, unknown>),
)
const requests = pages.flatMap((page) =>
  [...page.matchAll(/\/api\/v1\/automations \\\n.*?-d '(.*?)'\n```/gs)].map(
    ([, json]) => JSON.parse(json!) as Record<string, unknown>,
  ),
)

describe('the documentation of automations', () => {
  it('has an example of each step type, and each is valid', () => {
    const steps = examples.filter(({ type }) => typeof type === 'string')
    for (const step of steps) validate(stepsSchema, { steps: [step] })
    assert.deepEqual([...new Set(steps.map(({ type }) => type))].toSorted(), STEP_TYPES.toSorted())
  })

  it('has valid triggers and rules', () => {
    const changes = examples.filter((example) => ['triggerConfig', 'entry', 'goal'].some((key) => key in example))
    for (const change of changes) validate(updateAutomationSchema, change)
    assert.equal(changes.length, 3)
  })

  it('has valid requests, and the one with branches is an example', () => {
    for (const request of requests) validate(createAutomationSchema, request)
    assert.equal(requests.length, 2)
    assert.deepEqual(requests[1], JSON.parse(read('examples/plan-follow-up.json')))
  })
})
