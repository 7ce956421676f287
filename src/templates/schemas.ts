import { array, object, string } from 'yup'
import { atMost, boundedObject, filledText, givenId, MAX_NAME_LENGTH, pageQuery, text } from '../http/index.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH, TEMPLATE_KINDS } from '../rendering/index.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'
import { design } from './design-schema.ts'
import { WRITTEN_FORMATS } from './entities.ts'

/** How many languages a template has besides its own. */
export const MAX_TRANSLATIONS = 30

/** Some languages of a long email. */
export const TEMPLATE_LIMIT = { bytes: 4 * 1024 * 1024, values: 10_000 }

const LIQUID =
  'Liquid that knows contact.email, contact.firstName, contact.metadata, event.name, event.data, unsubscribeUrl, and, where an automation asks to confirm a list, confirmUrl.'

const subject = () =>
  text()
    .nullable()
    .test(atMost(MAX_SUBJECT_LENGTH))
    .meta({ description: LIQUID, example: 'Welcome, {{ contact.firstName }}!' })
const previewText = () =>
  text()
    .nullable()
    .test(atMost(1_000))
    .meta({ description: 'What mailboxes show behind the subject. Liquid, too.', example: 'Good to have you here' })
const html = () =>
  text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({
      description: `HTML or MJML, as its format says. ${LIQUID} {% render 'name' %} is the partial of that name.`,
      example: '<p>Hello {{ contact.firstName }}</p>',
    })
const plain = () =>
  text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: 'Made of the HTML where it is null or missing. Liquid, too.', example: null })
const format = () =>
  string().oneOf(WRITTEN_FORMATS).meta({
    description: 'What its html is, HTML where nothing is said; or BLOCKS, which are its design.',
    example: 'MJML',
  })

const translation = object({
  subject: subject(),
  previewText: previewText(),
  html: html(),
  text: plain(),
  design: design(),
})
  .required()
  .meta({ component: 'TemplateTranslation', description: 'What is null or missing is as in its own language.' })

/** A locale: a language, and where that matters a region (RFC 5646, section 2.1), also as POSIX writes it. */
const GIVEN_LOCALE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/

/** In the one spelling in which locales are compared. */
export const localeKey = (given: string): string => given.trim().replaceAll('_', '-').toLowerCase()

const translations = () =>
  array()
    .of(
      translation
        .shape({
          locale: string()
            .required()
            .matches(GIVEN_LOCALE, ({ path }) => `${path} must be a locale such as de or pt-br`)
            .meta({
              description: 'For whoever has it as metadata.locale, or only its language.',
              json: { pattern: GIVEN_LOCALE.source },
              example: 'de',
            }),
        })
        .required()
        .meta({ component: 'TemplateTranslation' }),
    )
    .max(MAX_TRANSLATIONS)
    .test({
      name: 'once',
      message: ({ path }) => `${path} must not have two of one locale`,
      test: (given) => {
        // Also of what is none: each test is asked, whatever the others find.
        const locales = (given ?? []).flatMap((each: { locale?: unknown } | null) =>
          typeof each?.locale === 'string' ? [localeKey(each.locale)] : [],
        )
        return new Set(locales).size === locales.length
      },
    })
    .meta({ description: 'In other languages.' })

const layoutId = () => text().nullable().meta({ description: 'The LAYOUT that it is in.', isId: true, example: null })

const content = {
  format: format(),
  subject: subject(),
  previewText: previewText(),
  html: html(),
  text: plain(),
  design: design(),
  layoutId: layoutId(),
  translations: translations(),
}

const name = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'What people call it.', example: 'Welcome' })

/** `POST /templates`. */
export const createTemplateSchema = object({
  name: name().required(),
  kind: string().oneOf(TEMPLATE_KINDS).meta({
    description:
      'An EMAIL where nothing is said; a LAYOUT has {{ content }} where emails come; a PARTIAL is named in others.',
    example: 'EMAIL',
  }),
  ...content,
}).meta({ component: 'TemplateInput' })

/** `PUT /templates/{id}`: all that it says from now on. */
export const replaceTemplateSchema = object({ name: name().required(), ...content }).meta({
  component: 'TemplateContent',
})

/** `GET /templates`. */
export const templatesQuery = pageQuery({
  kind: string().oneOf(TEMPLATE_KINDS).meta({ description: 'Only those of this kind.', example: 'EMAIL' }),
})

/** `GET /templates/{id}`. */
export const versionQuery = object({
  version: string()
    .matches(/^[1-9][0-9]{0,8}$/, 'version must be a number from 1')
    .meta({
      description: 'What it said then; the newest where nothing is said.',
      json: { pattern: '^[1-9][0-9]{0,8}$' },
      example: '1',
    }),
})

const forWhom = {
  contactId: givenId(
    'For whom: an id, `email:` and an address, or `external:` and an externalId. Without it, for somebody made up.',
  ),
  locale: text().test(atMost(50)).meta({ description: 'In this language, whatever the contact has.', example: 'de' }),
  event: object({
    name: filledText().required().test(atMost(MAX_EVENT_NAME_LENGTH)),
    data: boundedObject(64 * 1024),
  })
    .default(undefined)
    .meta({ description: 'As if this event had started the sequence.', example: { name: 'trial.started', data: {} } }),
}

/** `POST /templates/{id}/preview`. */
export const previewSavedSchema = object({
  ...forWhom,
  version: versionQuery.fields.version,
})

/** `POST /templates/preview`. */
export const previewUnsavedSchema = object({ ...content, ...forWhom })
