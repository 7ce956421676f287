import { stableJson } from '../../lib/stable-json.ts'
import type { AbTest } from './AbTestFields.tsx'
import type { Campaign } from './campaigns.ts'

/** Returns the A/B test as entered: the API adds the original as the first variant. */
function testOf(campaign: Campaign | undefined): AbTest | null {
  if (!campaign?.abTest) return null
  const { variants, testPercent, winnerBy, afterMinutes } = campaign.abTest
  const given = variants.slice(1).map(({ subject, templateId }) => (templateId === null ? { subject } : { templateId }))
  return { variants: given, testPercent, winnerBy, afterMinutes }
}

/** Returns the form fields of a campaign, or of a new one. */
export const fieldsOf = (campaign: Campaign | undefined) => ({
  name: campaign?.name ?? '',
  category: campaign?.category ?? ('marketing' as const),
  templateId: campaign?.templateId ?? null,
  /** Whether to update to the template's latest version. */
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

/** Returns the request body: either a template, or content of its own. */
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

/** Returns the body of an update. It omits an unchanged template: naming it again would update it to its latest version. */
export function patchOf(fields: Fields, campaign: Campaign) {
  const body = bodyOf(fields, campaign)
  const { templateId, abTest, ...rest } = body
  const isSame =
    !fields.takesNewest && templateId === campaign.templateId && sameTest(abTest, fieldsOf(campaign).abTest)
  return templateId !== null && isSame ? rest : body
}

/** Serializes the content of the form, for comparison. */
export const contentKey = (fields: Fields, campaign: Campaign | undefined) =>
  stableJson([bodyOf(fields, campaign), fields.takesNewest])
