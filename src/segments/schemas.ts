import { object } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH } from '../http/index.ts'
import { readCondition } from './read-condition.ts'
import { conditionResponse } from './responses.ts'

const name = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'The display name.', example: 'Paying customers' })

/** `readCondition` validates it, and names the wrong part. */
export const condition = () =>
  conditionResponse.test({
    name: 'condition',
    test(value: unknown) {
      if (value === undefined || value === null) return true
      const read = readCondition(value)
      return 'problem' in read ? this.createError({ message: read.problem }) : true
    },
  })

/** `POST /segments`. */
export const segmentSchema = object({ name: name().required(), condition: condition() }).meta({
  component: 'SegmentInput',
})

/** `PATCH /segments/{id}`. The route checks that there is a change. */
export const updateSegmentSchema = object({ name: name(), condition: condition().optional() }).meta({
  component: 'SegmentChange',
  description: 'The fields to change, at least one.',
  json: { minProperties: 1 },
  example: { name: 'Paying customers' },
})
