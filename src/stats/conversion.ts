import { array, number, object, string } from 'yup'
import { type Caller, count, id, nullableText, timestamp } from '../http/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import {
  type BranchConversion,
  conversionByBranch,
  conversionByVersion,
  conversionByWeek,
  type Converted,
  daysToGoal,
  medianToGoal,
  type VersionConversion,
  type WeekConversion,
} from './conversion-queries.ts'

/** The enrollments of an automation, and those that reached its goal. */
export interface Conversion extends Converted {
  windowDays: number
  medianMinutes: number | null
  weeks: WeekConversion[]
  days: { day: number; reached: number }[]
  versions: VersionConversion[]
  branches: BranchConversion[]
}

/** Reads how many enrollments of an existing automation reached its goal within a number of days. */
export async function getConversion(em: EntityManager, automationId: string, windowDays: number): Promise<Conversion> {
  const period = { automationId, windowDays }
  const versions = await conversionByVersion(em, period)
  const sum = (of: (each: Converted) => number) => versions.reduce((total, each) => total + of(each), 0)
  return {
    windowDays,
    enrolled: sum(({ enrolled }) => enrolled),
    counted: sum(({ counted }) => counted),
    reached: sum(({ reached }) => reached),
    medianMinutes: await medianToGoal(em, period),
    weeks: await conversionByWeek(em, period),
    days: await daysToGoal(em, period),
    versions,
    branches: await conversionByBranch(em, period),
  }
}

const converted = {
  enrolled: count('All enrollments.', 1_200),
  counted: count('Enrollments that began longer ago than the window. Only these can be compared.', 1_000),
  reached: count('Those of `counted` that reached the goal within the window.', 240),
}

/** `GET /automations/{id}/conversion`. */
export const conversionResponse = object({
  windowDays: number().integer().min(1).required().meta({ example: 14 }),
  ...converted,
  medianMinutes: number()
    .min(0)
    .nullable()
    .defined()
    .meta({ description: 'The median time to the goal of those in `reached`; null without any.', example: 14_544 }),
  weeks: array()
    .of(
      object({
        week: string()
          .required()
          .meta({
            description: 'The Monday on which it begins (UTC).',
            json: { format: 'date' },
            example: '2026-08-03',
          }),
        ...converted,
        reachedSoFar: count('Those of `enrolled` that reached the goal within the window so far.', 260),
      }).required(),
    )
    .required()
    .meta({
      description:
        'By the week of the enrollment, the oldest first: the last 26 that are older than the window, and those within it. Empty weeks are left out.',
    }),
  days: array()
    .of(
      object({
        day: number().integer().min(1).required().meta({ description: '1 is the first 24 hours.', example: 8 }),
        reached: count('Enrollments that reached the goal on this day.', 141),
      }).required(),
    )
    .required()
    .meta({ description: 'Those of `reached`, by the day after the enrollment.' }),
  versions: array()
    .of(
      object({
        version: number().integer().min(1).required().meta({ example: 8 }),
        publishedAt: timestamp('When the version was published.'),
        publishedBy: nullableText(
          'The email address of the member or the name of the API key, as long as the audit log has it. Always null for API keys.',
          'robin@example.com',
        ),
        ...converted,
      }).required(),
    )
    .required()
    .meta({ description: 'By the version on which contacts entered, the newest first.' }),
  branches: array()
    .of(
      object({
        stepId: id('step'),
        branch: string().required().meta({
          description: 'The position of the branch, from 0, or `else`, `received` or `timedOut`.',
          example: '0',
        }),
        ...converted,
      }).required(),
    )
    .required()
    .meta({
      description:
        'By the branch that contacts took. A contact counts in one branch of each step, as long as the runs of steps are stored.',
    }),
})
  .required()
  .meta({ component: 'Conversion', description: 'How many enrollments of an automation reached its goal.' })

/** Presents a conversion. An API key does not learn who publishes: only owners list members. */
export const presentConversion = ({ versions, ...conversion }: Conversion, { by }: Caller) => ({
  ...conversion,
  versions: versions.map(({ publishedAt, publishedBy, ...version }) => ({
    ...version,
    publishedAt: publishedAt.toISOString(),
    publishedBy: by.kind === 'key' ? null : publishedBy,
  })),
})
