import { Button, TextInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { callOnce } from '../../api/call-once.ts'
import { useSession } from '../../api/session.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { toCurl, type ApiCall } from '../../lib/curl.ts'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import classes from './FirstSteps.module.css'

const WELCOME = {
  name: 'Welcome',
  status: 'ACTIVE',
  trigger: 'SIGNUP',
  steps: [
    {
      type: 'EMAIL',
      subject: 'Welcome, {{ contact.firstName | default: "friend" }}!',
      text: 'Good to have you here.\n\nThis is what {{ contact.email }} was sent.',
    },
  ],
} as const

const IDLE_REFETCH_MS = 3_600_000

/** How far a new workspace is. */
function useProgress(refetchMs: number) {
  return useWorkspaceQuery(
    ['first-steps'],
    async (api, signal) => {
      const query = { limit: 1 }
      const [automations, contacts, messages] = await Promise.all([
        api.GET('/automations', { params: { query: { limit: 100 } }, signal }),
        api.GET('/contacts', { params: { query }, signal }),
        api.GET('/messages', { params: { query }, signal }),
      ])
      return {
        hasAutomation: automations.data.data.some(({ status }) => status === 'active'),
        contact: contacts.data.data[0],
        message: messages.data.data[0],
      }
    },
    { refetchMs },
  )
}

/**
 * The way to a first email, in a workspace that has sent none: each step done here, with the same as a request beside it. Else
 * what a page shows.
 */
export function FirstStepsOr({ children }: { children: ReactNode }) {
  const canEdit = useHasRole('editor')
  // Who is past it is not asked for any more.
  const [refetchMs, setRefetchMs] = useState(2_000)
  const { data, error } = useProgress(refetchMs)
  const [isDone, setDone] = useState(false)
  // Who has begun here sees the end of it.
  const [hasBegun, setBegun] = useState(false)
  if (error || isDone) return children
  if (!data) return null
  const isNew = data.message === undefined
  if (!isNew && !hasBegun) {
    if (refetchMs !== IDLE_REFETCH_MS) setRefetchMs(IDLE_REFETCH_MS)
    return children
  }
  if (!canEdit) return children
  return <Steps progress={data} onBegin={() => setBegun(true)} onDone={() => setDone(true)} />
}

type Progress = NonNullable<ReturnType<typeof useProgress>['data']>

function Steps({
  progress: { hasAutomation, contact, message },
  onBegin,
  onDone,
}: {
  progress: Progress
  onBegin: () => void
  onDone: () => void
}) {
  const { api, workspace } = useWorkspace()
  const { data: session } = useSession()
  const invalidate = useInvalidate()
  const [email, setEmail] = useState(session?.account.email ?? '')
  const make = useMutation({
    mutationFn: () =>
      callOnce([workspace.id, 'welcome'], (header) =>
        api.POST('/automations', {
          params: { header },
          body: { ...WELCOME, steps: WELCOME.steps.map((step) => ({ ...step })) },
        }),
      ),
    onMutate: onBegin,
    onSettled: () => invalidate(),
  })
  const add = useMutation({
    mutationFn: () => api.POST('/contacts', { body: { email } }),
    onMutate: onBegin,
    onSettled: () => invalidate(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <section className={classes.steps} aria-label="Your first email">
      <h2 className={classes.claim}>Your first email, in three steps.</h2>
      <p className="t2">
        {workspace.mode === 'test'
          ? 'In this workspace no email is delivered: you read here what would have been sent.'
          : 'Each step is done here, or by the request beside it.'}
      </p>
      <ol>
        <Step
          n={1}
          title="Make a sequence"
          isDone={hasAutomation}
          says="One email to whoever is created as a contact. You change it in the builder, or make your own."
          call={{ method: 'POST', path: '/automations', body: WELCOME }}
        >
          <Button variant="filled" loading={make.isPending} onClick={() => make.mutate()}>
            Make “Welcome”
          </Button>
          <Link className="link" to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }}>
            Or build one
          </Link>
          {make.isError && <ErrorBanner error={make.error} scrollsIntoView />}
        </Step>
        <Step
          n={2}
          title="Add yourself"
          isDone={hasAutomation && contact !== undefined}
          says="Creating a contact starts the sequence, from here as from your own service."
          call={{ method: 'POST', path: '/contacts', body: { email } }}
        >
          <form onSubmit={submit} className={classes.form}>
            <TextInput
              aria-label="Email"
              type="email"
              value={email}
              onChange={({ currentTarget: { value } }) => setEmail(value)}
            />
            <Button type="submit" variant={hasAutomation ? 'filled' : 'default'} loading={add.isPending}>
              Add contact
            </Button>
          </form>
          {add.isError && <ErrorBanner error={add.error} scrollsIntoView />}
        </Step>
        <Step
          n={3}
          title="Read it"
          isDone={message !== undefined}
          says={
            message === undefined
              ? 'It stands here a moment later, as it was sent.'
              : `“${message.subject ?? 'The email'}” to ${message.to ?? 'you'}: ${message.status.toLowerCase()}.`
          }
          call={{ method: 'GET', path: `/contacts/${contact?.id ?? `email:${email}`}/activity` }}
        >
          {message?.contactId && (
            <Link
              to="/w/$workspaceId/contacts/$contactId"
              params={{ workspaceId: workspace.id, contactId: message.contactId }}
            >
              <Button variant="filled" component="span">
                Read the email
              </Button>
            </Link>
          )}
          {message !== undefined && (
            <Button variant="subtle" color="gray" onClick={onDone}>
              Done
            </Button>
          )}
        </Step>
      </ol>
    </section>
  )
}

function Step({
  n,
  title,
  isDone,
  says,
  call,
  children,
}: {
  n: number
  title: string
  isDone: boolean
  says: string
  call: ApiCall
  children: ReactNode
}) {
  return (
    <li className={classes.step}>
      <span className={`${classes.mark} ${isDone ? 'c-ok' : 'c-mute'}`} aria-label={isDone ? 'Done' : `Step ${n}`}>
        {isDone ? <IconCheck size={14} stroke={2} /> : n}
      </span>
      <div className={classes.what}>
        <h3>{title}</h3>
        <p className="t2">{says}</p>
        {(!isDone || n > 1) && <div className={classes.actions}>{children}</div>}
      </div>
      <div className={classes.request}>
        <pre className="mono" tabIndex={0} aria-label={`The same in curl: ${title}`}>
          {toCurl(call)}
        </pre>
        <CurlButton call={call} />
      </div>
    </li>
  )
}
