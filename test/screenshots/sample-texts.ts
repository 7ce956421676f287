const DAY = 1_440

export const LISTS = [
  { name: 'Newsletter', description: 'Every other Thursday' },
  { name: 'Product updates', description: 'What is new, once a month' },
  { name: 'Beta', description: null },
]

const hasPlan = (value: string) => ({ metadata: 'plan', is: 'equal', value })

export const SEGMENTS = [
  { name: 'Paying customers', condition: { all: [hasPlan('pro')] } },
  {
    name: 'Large teams on the free plan',
    condition: { all: [hasPlan('free'), { metadata: 'seats', is: 'more', value: 8 }] },
  },
  { name: 'Not yet welcomed', condition: { all: [{ not: { activity: 'SENT' } }] } },
]

export const TAGS = ['vip', 'churned', 'conference', 'press']

export const FIRST_NAMES =
  'Ada Grace Søren Zoë Mehmet Ngozi Priya Tomás Ingrid Kenji Lucía Omar Freya Milan Amara Jonas Yuki Chiara Darius Noor ליאור محمد'.split(
    ' ',
  )

const email = (subject: string) => ({
  type: 'EMAIL',
  subject,
  text: 'Hello {{ contact.firstName }},\n\ngood to have you here.',
})
const wait = (delayMinutes: number) => ({ type: 'WAIT', delayMinutes })

interface Trigger {
  trigger: string
  triggerConfig?: object
}

/** @param share the share of all contacts who were enrolled */
const automation = (
  name: string,
  share: number,
  trigger: Trigger,
  steps: object[],
  { status = 'ACTIVE', ...more }: { status?: string; goal?: object } = {},
) => ({
  ...{ name, share, status, steps },
  ...trigger,
  ...more,
})
const onEvent = (eventName: string) => ({ trigger: 'EVENT', triggerConfig: { eventName } })
const onTag = (tagName: string) => ({ trigger: 'TAG_ADDED', triggerConfig: { tagName } })

export const AUTOMATIONS = [
  automation(
    'Trial onboarding',
    0.6,
    onEvent('trial.started'),
    [
      ...[email('Welcome, {{ contact.firstName }}'), wait(DAY), email('Your first import, in two minutes')],
      ...[wait(2 * DAY), email('Three things others do first'), wait(4 * DAY), email('Your trial ends in a week')],
    ],
    { goal: { eventName: 'subscription.started' } },
  ),
  automation('Welcome', 0.9, { trigger: 'SIGNUP' }, [
    ...[email('Good to have you, {{ contact.firstName }}'), wait(3 * DAY), email('How was your first week?')],
  ]),
  automation('Newsletter, first letters', 0.25, { trigger: 'LIST_ADDED' }, [
    ...[email('What you will get from us'), wait(7 * DAY), email('Our five best letters')],
    ...[wait(7 * DAY), email('Still here?')],
  ]),
  automation(
    'Win back',
    0.05,
    onTag('churned'),
    [wait(DAY), email('Was it something we did?'), wait(5 * DAY), email('A month on us')],
    { status: 'PAUSED' },
  ),
  automation('Order follow-up', 0.3, onEvent('order.placed'), [
    ...[wait(120), email('Your order, {{ contact.firstName }}'), wait(10 * DAY), email('How is it?')],
  ]),
  automation(
    'Conference 2027',
    0,
    onTag('conference'),
    [email('See you in Lisbon'), wait(30 * DAY), email('Your ticket')],
    { status: 'DRAFT' },
  ),
]
