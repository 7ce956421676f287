const DAY = 1_440

export const LISTS = [
  { name: 'Newsletter', description: 'Every other Thursday' },
  { name: 'Product updates', description: 'What is new, once a month' },
  { name: 'Beta', description: null },
]

export const SEGMENTS = [
  { name: 'Paying customers', condition: { all: [{ metadata: 'plan', is: 'equal', value: 'pro' }] } },
  {
    name: 'Large teams on the free plan',
    condition: {
      all: [
        { metadata: 'plan', is: 'equal', value: 'free' },
        { metadata: 'seats', is: 'more', value: 8 },
      ],
    },
  },
  { name: 'Not yet welcomed', condition: { all: [{ not: { activity: 'SENT' } }] } },
]

export const TAGS = ['vip', 'churned', 'conference', 'press']

export const FIRST_NAMES = [
  'Ada',
  'Grace',
  'Søren',
  'Zoë',
  'Mehmet',
  'Ngozi',
  'Priya',
  'Tomás',
  'Ingrid',
  'Kenji',
  'Lucía',
  'Omar',
  'Freya',
  'Milan',
  'Amara',
  'Jonas',
  'Yuki',
  'Chiara',
  'Darius',
  'Noor',
  'ליאור',
  'محمد',
]

const email = (subject: string) => ({
  type: 'EMAIL',
  subject,
  text: 'Hello {{ contact.firstName }},\n\ngood to have you here.',
})
const wait = (delayMinutes: number) => ({ type: 'WAIT', delayMinutes })

/** @param share the share of all contacts who were enrolled */
export const AUTOMATIONS = [
  {
    name: 'Trial onboarding',
    trigger: 'EVENT',
    triggerConfig: { eventName: 'trial.started' },
    share: 0.6,
    status: 'ACTIVE',
    steps: [
      email('Welcome, {{ contact.firstName }}'),
      wait(DAY),
      email('Your first import, in two minutes'),
      wait(2 * DAY),
      email('Three things others do first'),
      wait(4 * DAY),
      email('Your trial ends in a week'),
    ],
  },
  {
    name: 'Welcome',
    trigger: 'SIGNUP',
    share: 0.9,
    status: 'ACTIVE',
    steps: [email('Good to have you, {{ contact.firstName }}'), wait(3 * DAY), email('How was your first week?')],
  },
  {
    name: 'Newsletter, first letters',
    trigger: 'LIST_ADDED',
    share: 0.25,
    status: 'ACTIVE',
    steps: [
      email('What you will get from us'),
      wait(7 * DAY),
      email('Our five best letters'),
      wait(7 * DAY),
      email('Still here?'),
    ],
  },
  {
    name: 'Win back',
    trigger: 'TAG_ADDED',
    triggerConfig: { tagName: 'churned' },
    share: 0.05,
    status: 'PAUSED',
    steps: [wait(DAY), email('Was it something we did?'), wait(5 * DAY), email('A month on us')],
  },
  {
    name: 'Order follow-up',
    trigger: 'EVENT',
    triggerConfig: { eventName: 'order.placed' },
    share: 0.3,
    status: 'ACTIVE',
    steps: [wait(120), email('Your order, {{ contact.firstName }}'), wait(10 * DAY), email('How is it?')],
  },
  {
    name: 'Conference 2027',
    trigger: 'TAG_ADDED',
    triggerConfig: { tagName: 'conference' },
    share: 0,
    status: 'DRAFT',
    steps: [email('See you in Lisbon'), wait(30 * DAY), email('Your ticket')],
  },
]
