import { array, number, object, type ObjectSchema, string } from 'yup'
import {
  atMost,
  EXAMPLE_ID,
  filledText,
  type Given,
  givenId,
  instant,
  MAX_NAME_LENGTH,
  pageLimit,
  pageQuery,
  text,
} from '../http/index.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH } from '../rendering/index.ts'
import { design, WRITTEN_FORMATS } from '../templates/index.ts'
import { EMAIL_CATEGORIES } from '../automation-engine/index.ts'
import { MAX_VARIANTS, WINNER_CRITERIA } from './ab-test.ts'
import { CAMPAIGN_STATUSES } from './campaign.ts'
import { isLocalTime, isTimeZone } from '../platform/time-zone.ts'

/** Maximum number of lists, and of segments, in an audience. */
const MAX_NAMED = 20

const ids = (of: string) =>
  array()
    .of(givenId(`A ${of} of the workspace.`).required())
    .max(MAX_NAMED)
    .meta({ description: `${of[0]!.toUpperCase()}${of.slice(1)}s of the workspace.`, example: [EXAMPLE_ID] })

const named = () => ({ listIds: ids('list'), segmentIds: ids('segment') })

/** The audience of a campaign. */
const audienceSchema = () =>
  object({
    ...named(),
    exclude: object(named())
      .default(undefined)
      .meta({ description: 'Contacts in one of these get nothing.', example: {} }),
  })
    .default(undefined)
    .meta({
      component: 'AudienceInput',
      description: 'The contacts in at least one of these lists or segments. Each contact gets one email.',
      example: { listIds: [EXAMPLE_ID] },
    })

const LIQUID =
  'A Liquid template with the variables contact.email, contact.firstName, contact.metadata and unsubscribeUrl.'

const WEEKS_IN_MINUTES = 4 * 7 * 24 * 60

const variant = () =>
  object({
    subject: text().nullable().test(atMost(MAX_SUBJECT_LENGTH)).meta({
      description: 'Another subject. Everything else is the same as in the campaign.',
      example: 'What is new in December',
    }),
    templateId: text().nullable().meta({ description: 'Another template.', isId: true, example: null }),
  })
    .test({
      name: 'one',
      message: ({ path }) => `${path} must have either a subject or a templateId`,
      test: ({ subject, templateId }) => (subject == null) !== (templateId == null),
    })
    .required()
    .meta({ example: { subject: 'What is new in December' } })

const abTestSchema = () =>
  object({
    variants: array()
      .of(variant())
      .min(1)
      .max(MAX_VARIANTS)
      .required()
      .meta({ description: "Variants, in addition to the campaign's own content." }),
    testPercent: number().integer().min(1).max(100).required().meta({
      description:
        'The percentage of recipients, chosen at random, that the test is sent to. With 100, all recipients are in the test.',
      example: 20,
    }),
    winnerBy: string()
      .oneOf(WINNER_CRITERIA)
      .required()
      .meta({ description: 'The rate by which the winner is chosen.', example: 'CLICKED' }),
    afterMinutes: number()
      .integer()
      .min(1)
      .max(WEEKS_IN_MINUTES)
      .required()
      .meta({ description: 'Minutes between sending the test emails and choosing the winner.', example: 240 }),
  })
    .nullable()
    .default(undefined)
    .meta({
      description:
        'An A/B test. It is a part of the content and is replaced with it. OPENED and CLICKED require trackOpens and trackClicks of the sender.',
      example: { variants: [{ subject: 'What is new' }], testPercent: 20, winnerBy: 'CLICKED', afterMinutes: 240 },
    })

const category = () =>
  string().oneOf(EMAIL_CATEGORIES).meta({
    description: 'Default: marketing, which is not sent to contacts who unsubscribed.',
    example: 'marketing',
  })

const fields = () => ({
  templateId: text().nullable().meta({
    description:
      'A template of the workspace, in its current version. It replaces subject, html and text, which are then ignored.',
    isId: true,
    example: null,
  }),
  format: string()
    .oneOf(WRITTEN_FORMATS)
    .meta({ description: 'The format of html, or BLOCKS for a design. Default: HTML.', example: 'HTML' }),
  subject: text().nullable().test(atMost(MAX_SUBJECT_LENGTH)).meta({ description: LIQUID, example: 'News' }),
  previewText: text()
    .nullable()
    .test(atMost(1_000))
    .meta({ description: 'The text that inboxes show after the subject.', example: null }),
  html: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: LIQUID, example: '<p>Hello {{ contact.firstName }}</p>' }),
  text: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: 'Generated from the HTML if it is missing.', example: null }),
  design: design(),
  abTest: abTestSchema(),
  category: category(),
  audience: audienceSchema(),
  throttlePerHour: number().integer().min(1).max(10_000_000).nullable().meta({
    description: 'Maximum number of emails per hour. Default: as fast as possible.',
    example: null,
  }),
})

const name = () =>
  filledText()
    .test(atMost(MAX_NAME_LENGTH))
    .meta({ description: 'The name of the campaign.', example: 'December news' })

/** `POST /campaigns`. */
export const createCampaignSchema = object({ name: name().required(), ...fields() }).meta({
  component: 'CampaignInput',
})

/** `PATCH /campaigns/{id}`. */
export const updateCampaignSchema = object({ name: name(), ...fields() }).meta({
  component: 'CampaignChange',
  description: 'The fields to change; at least one. The content is replaced as a whole.',
  json: { minProperties: 1 },
  example: { name: 'December news' },
})

/** `GET /campaigns`. */
export const campaignsQuery = pageQuery({
  status: string().oneOf(CAMPAIGN_STATUSES).meta({ description: 'Only campaigns in this status.', example: 'SENT' }),
})

/** `GET /campaigns/{id}/domains`. */
export const campaignDomainsQuery = object({ limit: pageLimit() })

/** `POST /campaigns/count`. */
export const countSchema = object({ audience: audienceSchema().required(), category: category() })

/** Error for a body with unknown fields, or without a time. */
export const SCHEDULE_TIME_MISSING =
  'Pass only at, or localTime and fallbackTimeZone. With an empty body, the campaign starts immediately'

/** `POST /campaigns/{id}/schedule`. */
export const scheduleSchema = object({
  at: instant('When the campaign starts. Default: immediately.'),
  localTime: string()
    .test({
      name: 'local-time',
      message: ({ path }) => `${path} must be a time such as 2026-12-01T09:00, without a zone`,
      test: (value) => value === undefined || isLocalTime(value),
    })
    .meta({
      description:
        'The local time at which each contact gets the email, by metadata.timezone. A time that a zone skips is moved forward by the gap.',
      json: { pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?$' },
      example: '2026-12-01T09:00',
    }),
  fallbackTimeZone: string()
    .test({
      name: 'zone',
      message: ({ path }) => `${path} must be a time zone such as Europe/Berlin`,
      test: (value) => value === undefined || isTimeZone(value),
    })
    .meta({ description: 'The time zone of contacts without a known zone. Default: UTC.', example: 'Europe/Berlin' }),
})
  .test({
    name: 'one',
    message: 'Send either at or localTime',
    test: ({ at, localTime }) => at === undefined || localTime === undefined,
  })
  // An unknown "sendAt" or "timezone" is an error: the campaign would otherwise go to all recipients at once, which cannot be
  // undone.
  .test({
    name: 'when',
    message: SCHEDULE_TIME_MISSING,
    test: ({ at, localTime }, { options, schema }) => {
      const given = Object.keys((options.context as Given | undefined)?.given ?? {})
      const isKnown = given.every((name) => Object.hasOwn((schema as ObjectSchema<object>).fields, name))
      return isKnown && (at !== undefined || localTime !== undefined || given.length === 0)
    },
  })
  .meta({ component: 'CampaignSchedule', example: { at: '2030-12-01T09:00:00Z' } })
