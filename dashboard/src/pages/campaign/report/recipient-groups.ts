import type { Schemas } from '../../../api/client.ts'

type Results = Schemas['CampaignReport']['results']

/** The recipients that a figure of the report counts. A rare group has no tab if it is empty. */
export const RECIPIENT_GROUPS = {
  opened: { label: 'Opened', outcome: 'OPENED', countOf: ({ opened }: Results) => opened, isRare: false },
  clicked: { label: 'Clicked', outcome: 'CLICKED', countOf: ({ clicked }: Results) => clicked, isRare: false },
  'not-opened': {
    label: 'Not opened',
    outcome: 'NOT_OPENED',
    countOf: ({ delivered, opened }: Results) => Math.max(0, delivered - opened),
    isRare: false,
  },
  'machine-opened': {
    label: 'Machine opens',
    outcome: 'MACHINE_OPENED',
    countOf: ({ machineOpened }: Results) => machineOpened,
    isRare: true,
  },
  bounced: { label: 'Bounced', outcome: 'BOUNCED', countOf: ({ bounced }: Results) => bounced, isRare: false },
  unsubscribed: {
    label: 'Unsubscribed',
    outcome: 'UNSUBSCRIBED',
    countOf: ({ unsubscribed }: Results) => unsubscribed,
    isRare: false,
  },
  complained: {
    label: 'Complaints',
    outcome: 'COMPLAINED',
    countOf: ({ complained }: Results) => complained,
    isRare: true,
  },
} as const

export type RecipientGroup = keyof typeof RECIPIENT_GROUPS

export const RECIPIENT_GROUP_IDS = Object.keys(RECIPIENT_GROUPS) as RecipientGroup[]
