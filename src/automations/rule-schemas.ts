import { array, lazy, mixed, object, type Schema, string } from 'yup'
import { MAX_DELAY_MINUTES } from '../automation-engine/index.ts'
import { atMost, filledText } from '../http/index.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'
import type { EntryRules, EventOrCondition, ExitRule, Reentry } from './rules.ts'
import { conditionField } from './steps/fields.ts'

/** Maximum number of exit rules. */
const MAX_EXIT_RULES = 20
const MAX_KEY_LENGTH = 200
const KEY = /^event\.data\.[^\u0000]+$/ // eslint-disable-line no-control-regex -- Postgres cannot store NUL

const eventOrCondition = () =>
  object({
    eventName: filledText()
      .test(atMost(MAX_EVENT_NAME_LENGTH))
      .meta({ description: 'Compared without case.', example: 'subscription.paid' }),
    filter: conditionField('eventData'),
    condition: conditionField('eventData', 'stepData').nonNullable(),
  }).test({
    name: 'event-or-condition',
    test(
      value: { eventName?: unknown; filter?: unknown; condition?: unknown } | null | undefined,
      { path, createError },
    ) {
      if (value === null || value === undefined) return true
      const { eventName, filter, condition } = value
      const problem =
        (eventName === undefined) === (condition === undefined)
          ? 'must have either eventName or condition'
          : filter != null && eventName === undefined
            ? 'must have an eventName if it has a filter'
            : undefined
      return problem === undefined || createError({ message: `${path} ${problem}` })
    },
  })

export const entry = () =>
  object({
    filter: conditionField('eventData').meta({
      description: 'Only contacts who match enter. eventData refers to the event that would enroll them.',
    }),
    reentry: mixed<Reentry>()
      .test({
        name: 'reentry',
        message: ({ path }) =>
          `${path} must be ALWAYS, ONCE or {"afterMinutes": n}, with n from 1 to ${MAX_DELAY_MINUTES}`,
        test: (value) => value === undefined || isReentry(value),
      })
      .meta({
        description:
          'Whether a contact can enter again after an enrollment: ALWAYS, ONCE, or some minutes after the last one began.',
        json: {
          oneOf: [
            { type: 'string', enum: ['ALWAYS', 'ONCE'] },
            {
              type: 'object',
              properties: { afterMinutes: { type: 'integer', minimum: 1, maximum: MAX_DELAY_MINUTES } },
              required: ['afterMinutes'],
              additionalProperties: false,
            },
          ],
        },
        example: 'ALWAYS',
      }),
    concurrency: mixed<'ONE' | { key: string }>()
      .test({
        name: 'concurrency',
        message: ({ path }) => `${path} must be ONE or {"key": "event.data.NAME"}`,
        test: (value) => value === undefined || isConcurrency(value),
      })
      .meta({
        description:
          'ONE: a contact is in the automation once at a time. With a key, once at a time for each of its values: ' +
          'for example one enrollment for each order.',
        json: {
          oneOf: [
            { type: 'string', enum: ['ONE'] },
            {
              type: 'object',
              properties: { key: { type: 'string', maxLength: MAX_KEY_LENGTH, pattern: '^event\\.data\\.' } },
              required: ['key'],
              additionalProperties: false,
            },
          ],
        },
        example: 'ONE',
      }),
  })
    .default(undefined)
    .meta({
      component: 'EntryRules',
      description: 'Who enters the automation.',
      example: {},
    }) as unknown as Schema<EntryRules | undefined>

const isReentry = (value: unknown): value is Reentry =>
  value === 'ALWAYS' ||
  value === 'ONCE' ||
  (hasOnly(value, 'afterMinutes') &&
    Number.isInteger(value.afterMinutes) &&
    (value.afterMinutes as number) >= 1 &&
    (value.afterMinutes as number) <= MAX_DELAY_MINUTES)

const isConcurrency = (value: unknown): boolean =>
  value === 'ONE' ||
  (hasOnly(value, 'key') && typeof value.key === 'string' && value.key.length <= MAX_KEY_LENGTH && KEY.test(value.key))

const hasOnly = <Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 1 && Object.hasOwn(value, key)

const unsubscribed = object({
  event: string().oneOf(['unsubscribed']).required().meta({
    description: 'The contact unsubscribed from marketing, or left the list that started the enrollment.',
    example: 'unsubscribed',
  }),
})

const exitRule = lazy((given: unknown) =>
  typeof given === 'object' && given !== null && 'event' in given
    ? unsubscribed.required()
    : eventOrCondition().required(),
) as unknown as Schema

export const exitOn = () =>
  array()
    .of(exitRule.meta({ variants: [eventOrCondition().required(), unsubscribed.required()] }))
    .max(MAX_EXIT_RULES)
    .meta({
      description:
        'The enrollment ends at once as EXITED when the contact has one of these events. A condition is checked before ' +
        'each step, and at least once a minute.',
      example: [{ eventName: 'subscription.cancelled' }],
    }) as unknown as Schema<ExitRule[] | undefined>
export const goal = () =>
  eventOrCondition()
    .nullable()
    .default(undefined)
    .meta({
      component: 'Goal',
      description: 'Like exitOn, but the enrollment ends as GOAL_REACHED. null removes it.',
      example: { eventName: 'subscription.paid' },
    }) as unknown as Schema<EventOrCondition | null | undefined>
