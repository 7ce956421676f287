import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { Schema } from 'yup'
import { document } from '../../src/runtime/operations.ts'
import { contactSchema } from '../../src/contacts/schemas.ts'
import { parse } from '../../src/http/parse.ts'
import { MAX_BYTES } from '../../src/http/fields.ts'
import { type Components, describeRequest } from '../../src/http/openapi/json-schema.ts'
import { isEmailAddress } from '../../src/platform/email-address.ts'
import { findJsonFault, jsonBytes } from '../../src/platform/json.ts'
import {
  ACTIVITIES,
  COMPARISONS,
  type Condition,
  CONDITION_FIELDS,
  type EventFilter,
  MESSAGE_CONDITIONS,
} from '../../src/segments/condition.ts'
import { CONDITION_SOURCES, readCondition } from '../../src/segments/read-condition.ts'

const passes = (run: () => unknown): boolean => {
  try {
    run()
    return true
  } catch {
    return false
  }
}

/** Compiles the JSON Schema generated from a yup schema. */
function compile(schema: Schema): (value: unknown) => boolean {
  const schemas: Components = {}
  const root = describeRequest(schema, schemas)
  const formats = { email: (text: string) => isEmailAddress(text.trim()) }
  return new Ajv2020({ strict: false, ownProperties: true, formats })
    .addKeyword({ keyword: MAX_BYTES, validate: (max: number, value: unknown) => jsonBytes(value) <= max })
    .compile({ ...root, components: { schemas } })
}

describe('generated JSON Schemas', () => {
  it('accepts the same contacts as the yup schema, for any JSON', () => {
    const isDescribed = compile(contactSchema)
    const emails = fc.oneof(
      fc.emailAddress(),
      fc.constantFrom('a@b.co', ' a@b.co ', 'a@b', 'a..b@c.de', 'jörg@exämple.de', '', `${'x'.repeat(65)}@b.co`),
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', ' ', '\u0085', '\ufeff', 'a\u0000', '😀'.repeat(1_000), '😀'.repeat(1_001), 'x'.repeat(101)),
    )
    const anything = fc.jsonValue()
    const contact = fc.record(
      {
        email: fc.oneof({ weight: 5, arbitrary: emails }, anything),
        firstName: fc.oneof({ weight: 3, arbitrary: texts }, anything),
        metadata: fc.oneof(fc.dictionary(fc.string(), anything), anything),
        listId: fc.oneof({ weight: 3, arbitrary: texts }, anything),
        tags: fc.oneof({ weight: 3, arbitrary: fc.array(texts, { maxLength: 102 }) }, anything),
      },
      { requiredKeys: [] },
    )
    const withUnknown = contact.chain((known) => anything.map((constructor) => ({ ...known, constructor })))
    let passed = 0
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: contact }, withUnknown, anything), (item) => {
        // Values that cannot be stored are rejected before the schema runs.
        fc.pre(findJsonFault(item) === undefined)
        const expected = passes(() => parse(contactSchema, item))
        if (expected) passed += 1
        assert.equal(isDescribed(item), expected)
      }),
      { numRuns: 500 },
    )
    assert.ok(passed > 10, `only ${passed} passed`)
  })

  it('accepts every valid condition', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false })
      .addSchema(document, 'api')
      .compile({ $ref: 'api#/components/schemas/Condition' })
    const EVERYWHERE = { allows: CONDITION_SOURCES }
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('2026-12-24', '7d'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
    )
    const is = fc.constantFrom(...COMPARISONS)
    const withinDays = fc.nat()
    const { condition } = fc.letrec<{ condition: Condition; where: EventFilter }>((tie) => ({
      condition: fc.oneof(
        { maxDepth: 4 },
        fc.record({ tag: fc.string() }),
        fc.record({ list: fc.uuid() }),
        fc.record({ segment: fc.string() }),
        fc.record({ field: fc.constantFrom(...CONDITION_FIELDS), is, value }),
        fc.record({ metadata: fc.string(), is, value }),
        fc.record({ activity: fc.constantFrom(...ACTIVITIES), withinDays }),
        fc.record({ message: fc.string(), is: fc.constantFrom(...MESSAGE_CONDITIONS) }),
        fc.record(
          { event: fc.string(), atLeast: fc.nat(), atMost: fc.nat(), withinDays, where: tie('where') },
          { requiredKeys: ['event'] },
        ),
        fc.record({ event: fc.string(), data: fc.string(), is, value }),
        fc.record({ eventData: fc.string(), is, value }),
        fc.record({ stepData: fc.string(), is, value }),
        fc.record({ not: tie('condition') }),
        fc.record({ all: fc.array(tie('condition'), { maxLength: 3 }) }),
        fc.record({ any: fc.array(tie('condition'), { maxLength: 3 }) }),
      ),
      where: fc.oneof(
        { maxDepth: 2 },
        fc.record({ eventData: fc.string(), is, value }),
        fc.record({ any: fc.array(tie('where'), { maxLength: 3 }) }),
      ),
    }))
    let read = 0
    fc.assert(
      fc.property(condition, (json) => {
        const result = readCondition(json, EVERYWHERE)
        if ('problem' in result) return
        read += 1
        assert.deepEqual(readCondition(result.condition, EVERYWHERE), result)
        assert.ok(validate(result.condition), JSON.stringify(result.condition))
      }),
      { numRuns: 500 },
    )
    assert.ok(read > 100)
  })
})
