import type { Block, Design, Paragraph, PlainBlock } from '../../editor/blocks.ts'

/** A design to start from. */
export interface Starter {
  id: string
  name: string
  description: string
  subject: string | null
  previewText: string | null
  design: Design
  /** Whether it needs no data of a transactional email. */
  isForCampaigns: boolean
}

/** The look of the workspace, from its sender. */
interface Brand {
  name: string
  color: string | null
  logoUrl: string | null
}

type Style = Paragraph['style']
type Runs = string | Paragraph['runs']
const styled = (style: Style, text: Runs): Paragraph => ({
  style,
  runs: typeof text === 'string' ? [{ text }] : text,
})
const heading = (text: string) => styled('HEADING', text)
const paragraph = (text: Runs) => styled('PARAGRAPH', text)
const text = (...paragraphs: Paragraph[]): PlainBlock => ({ type: 'TEXT', paragraphs })
const button = (label: string, url: string): PlainBlock => ({ type: 'BUTTON', label, url, align: 'LEFT' })
const divider: PlainBlock = { type: 'DIVIDER' }
/** A line of a bill: what at the left, how much at the right. */
const line = (what: Runs, amount: Runs): Block => ({
  type: 'COLUMNS',
  columns: [
    { blocks: [text(paragraph(what))] },
    { blocks: [{ type: 'TEXT', paragraphs: [paragraph(amount)], align: 'RIGHT' }] },
  ],
})
const story = (title: string, about: string): { blocks: PlainBlock[] } => ({
  blocks: [text(styled('SMALL_HEADING', title), paragraph(about), paragraph([{ text: 'Read more', link: SITE }]))],
})

const SITE = 'https://example.com'
const NAME = '{{ contact.firstName | default: "there" }}'
const FRIEND = '{{ contact.firstName | default: "friend" }}'

const WELCOME = [
  text(
    heading(`Welcome, ${FRIEND}`),
    paragraph('Your account is ready. Most people start with one project, and it takes about ten minutes.'),
  ),
  button('Open your account', `${SITE}/start`),
  text(
    styled('SMALL_HEADING', 'Three things to try first'),
    styled('NUMBER', 'Create your first project.'),
    styled('NUMBER', 'Invite a colleague.'),
    styled('NUMBER', 'Choose which emails you want.'),
    paragraph('Questions? Reply to this email. We read every reply.'),
  ),
]

const RECEIPT = [
  text(heading('Your receipt'), paragraph(`Hi ${NAME}, thank you for your payment. This email is your receipt.`)),
  divider,
  line('{{ data.item | default: "Your plan" }}', '{{ data.price | default: "See the invoice" }}'),
  line('Tax', '{{ data.tax | default: "Included" }}'),
  line([{ text: 'Total', bold: true }], [{ text: '{{ data.total | default: "See the invoice" }}', bold: true }]),
  divider,
  button('Download invoice', `{{ data.invoiceUrl | default: "${SITE}/invoices" }}`),
  text(paragraph('Is something wrong? Just reply to this email.')),
]

const NEWSLETTER: Block[] = [
  text(
    heading('This month’s news'),
    paragraph(`Hi ${NAME}, here is what we built, what we learned, and what comes next.`),
  ),
  divider,
  {
    type: 'COLUMNS',
    columns: [
      story('A first story', 'Say in two sentences what happened and why it matters to your readers.'),
      story('A second story', 'Readers skim. Put the most useful words first, and link to the rest.'),
    ],
  },
  divider,
  text(
    styled('SMALL_HEADING', 'In short'),
    styled('BULLET', 'One small improvement.'),
    styled('BULLET', 'One date to remember.'),
    styled('BULLET', 'One question for your readers.'),
  ),
  button('Visit our website', SITE),
]

const TRIAL = [
  text(
    heading('Your trial ends soon'),
    paragraph(
      `Hi ${NAME}, your trial ends {{ contact.metadata.trialEndsAt | date: "on %-d %B" | default: "in a few days" }}. Your data stays. The paid features pause until you upgrade.`,
    ),
  ),
  button('Choose a plan', `${SITE}/plans`),
  divider,
  line('Your plan now', '{{ contact.metadata.plan | default: "Trial" }}'),
  line('After the trial', 'Free'),
  divider,
  text(paragraph('Need more time? Reply to this email, and we’ll extend your trial.')),
]

const WIN_BACK = [
  text(
    heading('Pick up where you left off'),
    paragraph(`Hi ${NAME}, it has been a while since your last visit. Here is what has changed since then:`),
    styled('BULLET', 'Something that is faster.'),
    styled('BULLET', 'Something that is easier.'),
    styled('BULLET', 'Something that you asked for.'),
  ),
  button('See what’s new', `${SITE}/new`),
  text(paragraph('No longer interested? Unsubscribe below, and we’ll stop emailing you.')),
]

const EMAILS: readonly (Omit<Starter, 'design'> & { blocks: readonly Block[] })[] = [
  {
    id: 'blank',
    isForCampaigns: false,
    name: 'Blank',
    description: 'Only a greeting',
    subject: null,
    previewText: null,
    blocks: [text(heading(`Hello ${NAME}`), { style: 'PARAGRAPH', runs: [] })],
  },
  {
    id: 'welcome',
    isForCampaigns: true,
    name: 'Welcome',
    description: 'First email after sign-up',
    subject: `Welcome, ${FRIEND}`,
    previewText: 'Your account is ready.',
    blocks: WELCOME,
  },
  {
    id: 'receipt',
    isForCampaigns: false,
    name: 'Receipt',
    description: 'Payment confirmation',
    subject: 'Your receipt',
    previewText: 'Thank you for your payment.',
    blocks: RECEIPT,
  },
  {
    id: 'newsletter',
    isForCampaigns: true,
    name: 'Newsletter',
    description: 'Stories and links',
    subject: 'This month’s news',
    previewText: 'What we built, what we learned, and what comes next.',
    blocks: NEWSLETTER,
  },
  {
    id: 'trial-ends',
    isForCampaigns: true,
    name: 'Trial ends',
    description: 'Reminder with upgrade button',
    subject: 'Your trial ends soon',
    previewText: 'Your data stays.',
    blocks: TRIAL,
  },
  {
    id: 'win-back',
    isForCampaigns: true,
    name: 'Win-back',
    description: 'For inactive contacts',
    subject: 'What’s new since your last visit',
    previewText: 'Pick up where you left off.',
    blocks: WIN_BACK,
  },
]

/** Returns the starters in the brand of a workspace: its color, and its logo at the top. */
export const startersFor = ({ name, color, logoUrl }: Brand): readonly Starter[] =>
  EMAILS.map(({ blocks, ...starter }) => ({
    ...starter,
    design: {
      ...(color !== null && { theme: { accent: color } }),
      blocks: [
        ...(logoUrl === null ? [] : [{ type: 'IMAGE' as const, url: logoUrl, alt: name, width: 120 }]),
        ...blocks,
      ],
    },
  }))

/** The starters without a brand. */
export const PLAIN_STARTERS = startersFor({ name: '', color: null, logoUrl: null })
