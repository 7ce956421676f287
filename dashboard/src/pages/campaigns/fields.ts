import { stableJson } from '../../lib/stable-json.ts'
import type { AbTest } from './AbTestFields.tsx'
import type { Campaign } from './campaigns.ts'

/** As it was given: its own subject is no variant of it. */
function testOf(campaign: Campaign | undefined): AbTest | null {
  if (!campaign?.abTest) return null
  const { variants, testPercent, winnerBy, afterMinutes } = campaign.abTest
  const given = variants.slice(1).map(({ subject, templateId }) => (templateId === null ? { subject } : { templateId }))
  return { variants: given, testPercent, winnerBy, afterMinutes }
}

/** What the form has of a campaign; `undefined`: of a new one. */
export const fieldsOf = (campaign: Campaign | undefined) => ({
  name: campaign?.name ?? '',
  category: campaign?.category ?? ('marketing' as const),
  templateId: campaign?.templateId ?? null,
  /** Whether the template is taken as it is now, and not as it was. */
  takesNewest: false,
  subject: campaign?.templateId == null ? (campaign?.subject ?? '') : '',
  html: campaign?.html ?? '',
  text: campaign?.text ?? '',
  audience: campaign?.audience ?? { listIds: [], segmentIds: [], exclude: { listIds: [], segmentIds: [] } },
  throttlePerHour: campaign?.throttlePerHour ?? null,
  abTest: testOf(campaign),
})
export type Fields = ReturnType<typeof fieldsOf>

const orNull = (text: string) => (text === '' ? null : text)

/** What the API is told of it: of a template, or what it says itself. */
export function bodyOf(fields: Fields, campaign: Campaign | undefined) {
  const { templateId, subject, html, text, name, category, audience, throttlePerHour, abTest } = fields
  const own = {
    subject: orNull(subject),
    html: orNull(html),
    text: orNull(text),
    ...(campaign?.format != null && { format: campaign.format as 'HTML' | 'MJML' }),
    ...(campaign !== undefined && { previewText: campaign.previewText }),
  }
  return { name, category, audience, throttlePerHour, abTest, templateId, ...(templateId === null && own) }
}

const sameTest = (a: AbTest | null, b: AbTest | null) => stableJson(a) === stableJson(b)

/** The same of a draft that there is. A template that is named is taken as it is now: whoever changes something else has not asked for that. */
export function patchOf(fields: Fields, campaign: Campaign) {
  const body = bodyOf(fields, campaign)
  const { templateId, abTest, ...rest } = body
  const isSame =
    !fields.takesNewest && templateId === campaign.templateId && sameTest(abTest, fieldsOf(campaign).abTest)
  return templateId !== null && isSame ? rest : body
}

/** All that a form holds of a campaign, to be held against another one. */
export const contentKey = (fields: Fields, campaign: Campaign | undefined) =>
  stableJson([bodyOf(fields, campaign), fields.takesNewest])
