import type { Schemas } from '../../../api/client.ts'
import type { Campaign } from '../../campaigns/campaigns.ts'
import { type Design, newPlainBlock, textOf } from '../../../editor/blocks.ts'
import { isLinkUrl } from '../../../editor/link-url.ts'
import { type EditorNode, isColumns, toNodes } from '../../../editor/nodes.ts'

export type AbTest = NonNullable<Schemas['CampaignInput']['abTest']>

/** Returns the A/B test as entered: the API adds the campaign itself as the first variant. */
function testOf(campaign: Campaign): AbTest | null {
  if (!campaign.abTest) return null
  const { variants, testPercent, winnerBy, afterMinutes } = campaign.abTest
  const given = variants.slice(1).map(({ subject, templateId }) => (templateId === null ? { subject } : { templateId }))
  return { variants: given, testPercent, winnerBy, afterMinutes }
}

export const EMPTY_DESIGN: Design = { blocks: [newPlainBlock('TEXT')] }

/** Returns what the composer edits of a draft. */
export const fieldsOf = (campaign: Campaign) => ({
  name: campaign.name,
  category: campaign.category,
  templateId: campaign.templateId,
  /** Whether to update to the template's latest version. */
  takesNewest: false,
  subject: campaign.templateId === null ? (campaign.subject ?? '') : '',
  previewText: campaign.previewText ?? '',
  /** The format of the campaign's own content: a new campaign is designed on the canvas. */
  format: (campaign.format ?? 'BLOCKS') as 'BLOCKS' | 'HTML' | 'MJML',
  design: campaign.design ?? EMPTY_DESIGN,
  html: campaign.templateId === null ? (campaign.html ?? '') : '',
  text: campaign.templateId === null ? (campaign.text ?? '') : '',
  audience: campaign.audience,
  throttlePerHour: campaign.throttlePerHour,
  abTest: testOf(campaign),
})
export type Fields = ReturnType<typeof fieldsOf>

const orNull = (text: string) => (text === '' ? null : text)

/** Whether each variant of the test has a subject or a template. */
const isComplete = (test: AbTest): boolean =>
  test.variants.every(({ subject, templateId }) => templateId != null || (subject ?? '').trim() !== '')

/** Returns what is not content: it can be saved while the content is incomplete. */
export const settingsOf = ({ name, category, audience, throttlePerHour }: Fields) => ({
  name,
  category,
  audience,
  throttlePerHour,
})

/**
 * Returns the body of an update. It omits an unchanged template: naming it again would update it to its latest version. A test without
 * all subjects is not saved yet.
 */
export function patchOf(fields: Fields, saved: Campaign): Partial<Schemas['CampaignInput']> {
  const { templateId, takesNewest, abTest } = fields
  const settings = settingsOf(fields)
  const test = abTest === null || isComplete(abTest) ? abTest : testOf(saved)
  if (templateId !== null) {
    const isSame =
      !takesNewest && templateId === saved.templateId && JSON.stringify(test) === JSON.stringify(testOf(saved))
    return isSame ? settings : { ...settings, templateId, abTest: test }
  }
  const { subject, previewText, text } = fields
  return {
    ...settings,
    ...{ templateId, abTest: test },
    ...{ subject: orNull(subject), previewText: orNull(previewText), text: orNull(text), ...bodyOf(fields) },
  }
}

/** Returns the body of the email in its format. */
export const bodyOf = ({ format, design, html }: Pick<Fields, 'format' | 'design' | 'html'>) =>
  format === 'BLOCKS' ? { format, html: null, design: withoutHalfLinks(design) } : { format, html: orNull(html) }

/** Leaves out links that are not complete yet: the API rejects them. They are in the editor, and a problem until they are complete. */
const withoutHalfLinks = (design: Design): Design =>
  JSON.parse(
    JSON.stringify(design, (name, value: unknown) =>
      (name === 'url' || name === 'link') && typeof value === 'string' && !isLinkUrl(value) ? '' : value,
    ),
  ) as Design

/** Returns whether the campaign has content of its own. */
export const hasBody = ({ format, design, html, text }: Fields): boolean =>
  text !== '' || (format === 'BLOCKS' ? toNodes(design.blocks).some(hasContent) : html !== '')

const hasContent = (node: EditorNode): boolean =>
  isColumns(node)
    ? node.columns.some((column) => column.some(hasContent))
    : node.block.type === 'IMAGE'
      ? node.block.url !== ''
      : textOf(node.block).trim() !== ''
