import { array, number, object, type ObjectSchema, string } from 'yup'
import {
  atMost,
  EXAMPLE_ID,
  filledText,
  type Given,
  givenId,
  instant,
  MAX_NAME_LENGTH,
  pageQuery,
  text,
} from '../http/index.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH, TEMPLATE_FORMATS } from '../rendering/index.ts'
import { EMAIL_CATEGORIES } from '../automation-engine/index.ts'
import { MAX_VARIANTS, WINNER_BY } from './ab-test.ts'
import { CAMPAIGN_STATUSES } from './campaign.ts'
import { isLocalTime, isTimeZone } from './local-time.ts'

/** How many lists, and how many segments, an audience names at most. */
const MAX_NAMED = 20

const ids = (of: string) =>
  array()
    .of(givenId(`A ${of} of the workspace.`).required())
    .max(MAX_NAMED)
    .meta({ description: `${of[0]!.toUpperCase()}${of.slice(1)}s of the workspace.`, example: [EXAMPLE_ID] })

const named = () => ({ listIds: ids('list'), segmentIds: ids('segment') })

/** Whom it is for. */
export const audienceSchema = () =>
  object({
    ...named(),
    exclude: object(named())
      .default(undefined)
      .meta({ description: 'Whoever is in one of these gets nothing.', example: {} }),
  })
    .default(undefined)
    .meta({
      component: 'AudienceInput',
      description: 'Whoever is in one of its lists or segments: each person once.',
      example: { listIds: [EXAMPLE_ID] },
    })

const LIQUID = 'A Liquid template that knows contact.email, contact.firstName, contact.metadata and unsubscribeUrl.'

const WEEKS_IN_MINUTES = 4 * 7 * 24 * 60

const variant = () =>
  object({
    subject: text().nullable().test(atMost(MAX_SUBJECT_LENGTH)).meta({
      description: 'Another subject; all else is as in the campaign.',
      example: 'What is new in December',
    }),
    templateId: text().nullable().meta({ description: 'Or another template.', isId: true, example: null }),
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
      .meta({ description: 'Other ways to say it, beside its own.' }),
    testPercent: number().integer().min(1).max(100).required().meta({
      description: 'To how many of a hundred recipients the variants go, by lot. Of a hundred there is no rest.',
      example: 20,
    }),
    winnerBy: string()
      .oneOf(WINNER_BY)
      .required()
      .meta({ description: 'By what the one is chosen that the rest gets.', example: 'CLICKED' }),
    afterMinutes: number()
      .integer()
      .min(1)
      .max(WEEKS_IN_MINUTES)
      .required()
      .meta({ description: 'How long after those are sent it is chosen.', example: 240 }),
  })
    .nullable()
    .default(undefined)
    .meta({
      description:
        'An A/B test. It is a part of what the campaign says, and changed with it. OPENED and CLICKED want trackOpens and trackClicks of the sender.',
      example: { variants: [{ subject: 'What is new' }], testPercent: 20, winnerBy: 'CLICKED', afterMinutes: 240 },
    })

const fields = () => ({
  templateId: text().nullable().meta({
    description:
      'A template of the workspace, as it is now: instead of subject, html and text, which are not looked at then.',
    isId: true,
    example: null,
  }),
  format: string()
    .oneOf(TEMPLATE_FORMATS)
    .meta({ description: 'What its html is; HTML where nothing is said.', example: 'HTML' }),
  subject: text().nullable().test(atMost(MAX_SUBJECT_LENGTH)).meta({ description: LIQUID, example: 'News' }),
  previewText: text()
    .nullable()
    .test(atMost(1_000))
    .meta({ description: 'What mailboxes show behind the subject.', example: null }),
  html: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: LIQUID, example: '<p>Hello {{ contact.firstName }}</p>' }),
  text: text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: 'Made of the HTML where it is missing.', example: null }),
  abTest: abTestSchema(),
  category: string().oneOf(EMAIL_CATEGORIES).meta({
    description: 'marketing where nothing is said: it goes to nobody who has unsubscribed.',
    example: 'marketing',
  }),
  audience: audienceSchema(),
  throttlePerHour: number().integer().min(1).max(10_000_000).nullable().meta({
    description: 'So many emails an hour at most; as fast as they go where nothing is said.',
    example: null,
  }),
})

const name = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'What people call it.', example: 'December news' })

/** `POST /campaigns`. */
export const createCampaignSchema = object({ name: name().required(), ...fields() }).meta({
  component: 'CampaignInput',
})

/** `PATCH /campaigns/{id}`. */
export const updateCampaignSchema = object({ name: name(), ...fields() }).meta({
  component: 'CampaignChange',
  description: 'The fields to change; at least one. What it says is changed as a whole.',
  json: { minProperties: 1 },
  example: { name: 'December news' },
})

/** `GET /campaigns`. */
export const campaignsQuery = pageQuery({
  status: string().oneOf(CAMPAIGN_STATUSES).meta({ description: 'Only those in this status.', example: 'SENT' }),
})

/** `POST /campaigns/count`. */
export const countSchema = object({ audience: audienceSchema().required() })

/** Of a body that says something else, or not when. */
export const SCHEDULE_TIME_MISSING =
  'Say when it begins by at, or by localTime and fallbackTimeZone, and nothing else; with an empty body it begins at once'

/** `POST /campaigns/{id}/schedule`. */
export const scheduleSchema = object({
  at: instant('When it begins; at once where nothing is said.'),
  localTime: string()
    .test({
      name: 'local-time',
      message: ({ path }) => `${path} must be a time such as 2026-12-01T09:00, without a zone`,
      test: (value) => value === undefined || isLocalTime(value),
    })
    .meta({
      description:
        "When the clocks show this where each contact is, by metadata.timezone. One that a zone's clocks skip is as long after it.",
      json: { pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?$' },
      example: '2026-12-01T09:00',
    }),
  fallbackTimeZone: string()
    .test({
      name: 'zone',
      message: ({ path }) => `${path} must be a time zone such as Europe/Berlin`,
      test: (value) => value === undefined || isTimeZone(value),
    })
    .meta({ description: 'Of contacts of whom none is known; UTC where nothing is said.', example: 'Europe/Berlin' }),
})
  .test({
    name: 'one',
    message: 'Send either at or localTime',
    test: ({ at, localTime }) => at === undefined || localTime === undefined,
  })
  // A "sendAt" is unknown here: without this it would be sent to everybody at once, and nobody gets that back. Nor a "timezone".
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
