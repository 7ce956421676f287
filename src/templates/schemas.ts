import { EMAIL_CATEGORIES } from '../automation-engine/index.ts'
import { localeKey } from '../platform/locale.ts'
import { array, object, string } from 'yup'
import { atMost, boundedObject, filledText, givenId, MAX_NAME_LENGTH, pageQuery, text } from '../http/index.ts'
import { MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH, TEMPLATE_KINDS } from '../rendering/index.ts'
import { MAX_EVENT_NAME_LENGTH } from '../triggers/index.ts'
import { design } from './design-schema.ts'
import { WRITTEN_FORMATS } from './entities.ts'

/** The maximum number of languages in addition to a template's own. */
const MAX_TRANSLATIONS = 30

/** Enough for several languages of a long email. */
export const TEMPLATE_LIMIT = { bytes: 4 * 1024 * 1024, values: 10_000 }

const LIQUID =
  'Liquid with the variables contact.email, contact.firstName, contact.metadata, event.name, event.data, unsubscribeUrl and, in emails that request a confirmation, confirmUrl.'

const subject = () =>
  text()
    .nullable()
    .test(atMost(MAX_SUBJECT_LENGTH))
    .meta({ description: LIQUID, example: 'Welcome, {{ contact.firstName | default: "friend" }}!' })
const previewText = () =>
  text()
    .nullable()
    .test(atMost(1_000))
    .meta({ description: 'Shown by mail clients after the subject. Liquid.', example: 'Good to have you here' })
const html = () =>
  text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({
      description: `HTML or MJML, depending on the format. ${LIQUID} {% render 'name' %} includes the partial of that name.`,
      example: '<p>Hello {{ contact.firstName }}</p>',
    })
const plain = () =>
  text()
    .nullable()
    .test(atMost(MAX_BODY_LENGTH))
    .meta({ description: 'Generated from the HTML if null or missing. Liquid.', example: null })
const format = () =>
  string().oneOf(WRITTEN_FORMATS).meta({
    description: 'The format of the field html, or BLOCKS for a design. The default is HTML.',
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
  .meta({
    component: 'TemplateTranslation',
    description: 'Null or missing fields are taken from the main language.',
  })

/** A locale: a language and optionally a region (RFC 5646, section 2.1), also in POSIX spelling. */
const GIVEN_LOCALE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/

const translations = () =>
  array()
    .of(
      translation
        .shape({
          locale: string()
            .required()
            .matches(GIVEN_LOCALE, ({ path }) => `${path} must be a locale such as de or pt-br`)
            .meta({
              description: 'The metadata.locale of the contacts who get it, or only its language part.',
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
      message: ({ path }) => `${path} must not contain a locale twice`,
      test: (given) => {
        // Runs on invalid input too: yup runs every test, regardless of the others.
        const locales = (given ?? []).flatMap((each: { locale?: unknown } | null) =>
          typeof each?.locale === 'string' ? [localeKey(each.locale)] : [],
        )
        return new Set(locales).size === locales.length
      },
    })
    .meta({ description: 'The content in other languages.' })

const layoutId = () => text().nullable().meta({ description: 'The ID of a LAYOUT.', isId: true, example: null })

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
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'The display name.', example: 'Welcome' })

/** `POST /templates`. */
export const createTemplateSchema = object({
  name: name().required(),
  kind: string().oneOf(TEMPLATE_KINDS).meta({
    description:
      'The default is EMAIL. A LAYOUT has {{ content }} where the email goes. A PARTIAL is included in other templates.',
    example: 'EMAIL',
  }),
  ...content,
}).meta({ component: 'TemplateInput' })

/** `PUT /templates/{id}`, which replaces all content. */
export const replaceTemplateSchema = object({ name: name().required(), ...content }).meta({
  component: 'TemplateContent',
})

/** `GET /templates`. */
export const templatesQuery = pageQuery({
  kind: string().oneOf(TEMPLATE_KINDS).meta({ description: 'Filter by kind.', example: 'EMAIL' }),
})

/** `GET /templates/{id}`. */
export const versionQuery = object({
  version: string()
    .matches(/^[1-9][0-9]{0,8}$/, 'version must be a number from 1')
    .meta({
      description: 'The version. The default is the current one.',
      json: { pattern: '^[1-9][0-9]{0,8}$' },
      example: '1',
    }),
})

/** The category of a previewed email. A template does not know it before it is used. */
export const previewCategory = () =>
  string().oneOf(EMAIL_CATEGORIES).meta({
    description: 'marketing: with the unsubscribe link and postal address that Dripline appends. Default: without.',
    example: 'marketing',
  })

const forWhom = {
  category: previewCategory(),
  contactId: givenId(
    'The contact to preview for: an ID, `email:` and an address, or `external:` and an externalId. The default is a sample contact.',
  ),
  locale: text().test(atMost(50)).meta({ description: 'The language, regardless of the contact.', example: 'de' }),
  event: object({
    name: filledText().required().test(atMost(MAX_EVENT_NAME_LENGTH)),
    data: boundedObject(64 * 1024),
  })
    .default(undefined)
    .meta({
      description: 'The event that the preview assumes as the trigger.',
      example: { name: 'trial.started', data: {} },
    }),
}

/** `POST /templates/{id}/preview`. */
export const previewSavedSchema = object({
  ...forWhom,
  version: versionQuery.fields.version,
})

const MAX_TEST_RECIPIENTS = 10

/** `POST /templates/{id}/test`. */
export const testTemplateSchema = previewSavedSchema.shape({
  to: array()
    .of(filledText().required().test(atMost(1_000)))
    .required()
    .min(1)
    .max(MAX_TEST_RECIPIENTS)
    .meta({ description: 'The email addresses of members of the workspace.', example: ['ada@example.com'] }),
})

/** `POST /templates/preview`. */
export const previewUnsavedSchema = object({ ...content, ...forWhom })
