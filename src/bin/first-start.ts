import type { EntityManager } from '../db/orm.ts'
import { Workspace } from '../db/entities/workspace.ts'
import { SCOPES } from '../domain/scopes.ts'
import { createApiKey } from '../services/api-keys.ts'
import { createWorkspace } from '../services/workspaces.ts'

export interface FirstKeys {
  live: string
  test: string
}

/** At the very first start: a live and a test workspace, with a key each. They are shown once and kept nowhere. */
export async function createFirstWorkspace(em: EntityManager): Promise<FirstKeys | undefined> {
  if ((await em.fork().count(Workspace)) > 0) return undefined
  const keyOf = async (mode: 'live' | 'test'): Promise<string> => {
    const workspace = await createWorkspace(em, {
      name: mode === 'live' ? 'My workspace' : 'My workspace (test)',
      mode,
    })
    const { key } = await createApiKey(em, { workspaceId: workspace.id, name: 'First key', scopes: SCOPES })
    return key
  }
  return { live: await keyOf('live'), test: await keyOf('test') }
}

export interface Welcome {
  port: number
  temporalUiUrl: string | undefined
  captures: boolean
  first: FirstKeys | undefined
}

/** What `npm start` says when it is ready. */
export function welcome({ port, temporalUiUrl, captures, first }: Welcome): string {
  const origin = `http://localhost:${port}`
  const lines = ['', `Dripline is ready: ${origin}/api/v1`, `Its reference:     ${origin}/docs`]
  if (temporalUiUrl) lines.push(`Temporal UI:       ${temporalUiUrl}`)
  lines.push(
    captures ? 'Mail is captured, not delivered (set SMTP_URL to deliver it).' : 'Mail is delivered over SMTP.',
  )
  if (first) lines.push('', showFirstKeys(origin, first))
  lines.push('', 'Ctrl-C stops everything.')
  return lines.join('\n')
}

/** The first keys, and what to do with them. */
export const showFirstKeys = (origin: string, { live, test }: FirstKeys): string =>
  [
    'Two API keys were made. They are shown this once; write them down.',
    `  live: ${live}`,
    `  test: ${test}`,
    '',
    'Paste these three lines to create a contact and an automation, and to enroll:',
    '',
    ...firstSequence(`${origin}/api/v1`, live),
  ].join('\n')

/** Three lines for a shell: the ids of the first two answers are what the third one needs. */
function firstSequence(base: string, key: string): string[] {
  const post = (path: string, body: string) =>
    `curl -s ${base}${path} -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d ${body}`
  const keep = (name: string, command: string) =>
    `${name}=$(${command} | tee /dev/stderr | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4)`
  const contact = { email: 'ada@example.com', firstName: 'Ada' }
  const automation = {
    name: 'Welcome',
    status: 'ACTIVE',
    trigger: 'SIGNUP',
    steps: [
      { type: 'EMAIL', subject: 'Welcome, {{ contact.firstName }}!', text: 'Good to have you here.' },
      { type: 'WAIT', delayMinutes: 1440 },
      { type: 'EMAIL', subject: 'How was your first day?', text: 'Just reply to this email.' },
    ],
  }
  return [
    keep('CONTACT', post('/contacts', `'${JSON.stringify(contact)}'`)),
    keep('AUTOMATION', post('/automations', `'${JSON.stringify(automation)}'`)),
    post('/automations/$AUTOMATION/enroll', `"{\\"contactId\\":\\"$CONTACT\\"}"`),
  ]
}
