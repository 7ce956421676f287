import type { Config } from '../platform/config.ts'
import { forTerminal } from '../platform/terminal.ts'
import { invitationUrl } from '../accounts/index.ts'
import type { FirstKeys } from '../workspaces/index.ts'
import { addressOfServer, readSmtpUrl } from '../smtp/index.ts'
import { mailModeOf } from '../instance/index.ts'

export interface Welcome {
  port: number
  /** The URL of the service for browsers. */
  publicUrl: string
  temporalUiUrl: string | undefined
  config: Pick<Config, 'SMTP_URL' | 'MAIL_CAPTURE'>
  /** The sender of the instance. */
  mailFrom: string
  first: FirstKeys | undefined
  /** The token of the first owner's link; `undefined` if a member exists. */
  firstToken: string | undefined
  /** True if sending is enabled. */
  sends: boolean
}

/** The message that `npm start` prints when it is ready. */
export function formatWelcome({
  port,
  publicUrl,
  temporalUiUrl,
  config,
  mailFrom,
  first,
  firstToken,
  sends,
}: Welcome): string {
  const origin = `http://localhost:${port}`
  const lines = ['', `Dripline is ready: ${origin}`, `API reference:     ${origin}/docs`]
  if (temporalUiUrl) lines.push(`Temporal UI:       ${temporalUiUrl}`)
  lines.push(whereMailGoes(config, mailFrom))
  if (!sends) lines.push('', ...RESTORED)
  if (first) lines.push('', showFirstKeys(origin, first))
  if (firstToken !== undefined) lines.push('', showFirstLink(publicUrl, firstToken))
  lines.push('', 'Ctrl-C stops everything.')
  return lines.join('\n')
}

const RESTORED = [
  'This instance was restored, or its folder is a copy. It does not send yet.',
  'Messages that are due before you reconcile become UNCONFIRMED, unless you specify',
  'when the original stopped:',
  'npm run cli -- reconcile [--nothing-lost | --lost-until TIME]',
]

function whereMailGoes({ SMTP_URL, MAIL_CAPTURE }: Welcome['config'], mailFrom: string): string {
  if (SMTP_URL && mailModeOf({ smtp: true, capture: MAIL_CAPTURE }) === 'smtp') {
    return `Mail is sent over SMTP, to ${addressOfServer(readSmtpUrl(SMTP_URL))}, from ${forTerminal(mailFrom)}`
  }
  return `Mail is captured, not delivered (${MAIL_CAPTURE ? 'MAIL_CAPTURE is set' : 'set SMTP_URL to deliver it'}).`
}

/** The link by which the first owner signs in. It is shown on each start until it is used. */
export const showFirstLink = (origin: string, token: string): string =>
  [
    'There are no members yet. The first person to open this link owns the workspaces:',
    '',
    invitationUrl(origin, token),
  ].join('\n')

/** The first API keys, which are shown only once, and commands to try them. */
export const showFirstKeys = (origin: string, { live, test }: FirstKeys): string =>
  [
    'Two API keys were created. They are shown only once, so store them now.',
    'The test key, whose mail is always captured:',
    '',
    `TEST_KEY=${test}`,
    '',
    'And the live key, with three commands that create a contact and an automation,',
    'and enroll the contact. Paste all of it:',
    '',
    `export DRIPLINE_API_KEY=${live}`,
    ...firstSequence(`${origin}/api/v1`),
  ].join('\n')

/** Three shell commands whose lines fit in a terminal. The third one uses the IDs in the responses to the first two. */
function firstSequence(base: string): string[] {
  const post = (path: string, body: string) => [
    `curl -s ${base}${path} \\`,
    '  -H "Authorization: Bearer $DRIPLINE_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d ${body}`,
  ]
  const keep = (name: string, [first, ...rest]: string[]) => [
    `${name}=$(${first}`,
    `${rest.join('\n')} \\`,
    `  | tee /dev/stderr | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4)`,
  ]
  return [
    ...keep('CONTACT', post('/contacts', `'{"email":"ada@example.com","firstName":"Ada"}'`)),
    ...keep('AUTOMATION', post('/automations', AUTOMATION)),
    ...post('/automations/$AUTOMATION/enroll', `"{\\"contactId\\":\\"$CONTACT\\"}"`),
  ]
}

const AUTOMATION = `'{"name":"Welcome","status":"ACTIVE","trigger":"SIGNUP","steps":[
    {"type":"EMAIL",
      "subject":"Welcome, {{ contact.firstName | default: \\"friend\\" }}!",
      "text":"Good to have you here."},
    {"type":"WAIT","delayMinutes":1440},
    {"type":"EMAIL","subject":"How was your first day?",
      "text":"Just reply to this email."}]}'`
