import type { Schemas } from '../../api/client.ts'
import { plural } from '../../lib/format.ts'

export const KIND_WORDS = { EMAIL: 'Email', LAYOUT: 'Layout', PARTIAL: 'Snippet' } as const

/** Such as "Used in 2 automations and 3 campaigns". */
export function usesText({ automations, campaigns, templates }: Schemas['TemplateSummary']['useCounts']): string {
  const uses = [
    ...(automations > 0 ? [plural(automations, 'automation')] : []),
    ...(campaigns > 0 ? [plural(campaigns, 'campaign')] : []),
    ...(templates > 0 ? [plural(templates, 'template')] : []),
  ]
  return uses.length === 0 ? 'Not used' : `Used in ${uses.join(' and ')}`
}
