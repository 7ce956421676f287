import { Button, TextInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { callOnce } from '../../api/call-once.ts'
import { useSession } from '../../api/session.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { toCurl, type ApiCall } from '../../lib/curl.ts'
import { CurlButton } from '../../components/CurlButton.tsx'
import { MESSAGE_STATUS } from '../../components/StatusBadge.tsx'
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

/** Checks which first steps are done. */
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
 * Guides a new workspace to its first email, each step with its API request. Shows the children once an email was sent.
 */
export function FirstStepsOr({ children }: { children: ReactNode }) {
  const canEdit = useHasRole('editor')
  // Poll rarely once the workspace has messages.
  const [refetchMs, setRefetchMs] = useState(2_000)
  const { data, error } = useProgress(refetchMs)
  const [isDone, setDone] = useState(false)
  const invalidate = useInvalidate()
  const status = data?.message?.status
  // The delivery log next to the steps shows the same status.
  useEffect(() => void (status !== undefined && invalidate('messages', 'last')), [status, invalidate])
  // A user who started here sees the last step.
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
  const create = useMutation({
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
      <h2 className={classes.claim}>Send your first email in three steps</h2>
      <p className="t2">
        {workspace.mode === 'test'
          ? 'This is a test workspace: you’ll see what would have been sent.'
          : 'Use the buttons, or run the API requests on the right.'}
      </p>
      <ol>
        <Step
          n={1}
          title="Create an automation"
          isDone={hasAutomation}
          description="Sends a welcome email to every new contact. You can edit it later."
          call={{ method: 'POST', path: '/automations', body: WELCOME }}
        >
          <Button variant="filled" loading={create.isPending} onClick={() => create.mutate()}>
            Create welcome automation
          </Button>
          <Link className="link" to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }}>
            Start from scratch
          </Link>
          {create.isError && <ErrorBanner error={create.error} scrollsIntoView />}
        </Step>
        <Step
          n={2}
          title="Add yourself"
          isDone={hasAutomation && contact !== undefined}
          description="New contacts enter the automation, whether they are added here or through the API."
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
          title="Read your email"
          isDone={message !== undefined}
          description={
            message === undefined
              ? 'It appears here as soon as it is sent.'
              : `“${message.subject ?? 'Your email'}” to ${message.to ?? 'you'}: ${MESSAGE_STATUS[message.status].label.toLowerCase()}.`
          }
          call={{ method: 'GET', path: `/contacts/${contact?.id ?? `email:${email}`}/activity` }}
        >
          {message?.contactId && (
            <Link
              to="/w/$workspaceId/contacts/$contactId"
              params={{ workspaceId: workspace.id, contactId: message.contactId }}
            >
              <Button variant="filled" component="span">
                Read email
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
  description,
  call,
  children,
}: {
  n: number
  title: string
  isDone: boolean
  description: string
  call: ApiCall
  children: ReactNode
}) {
  return (
    <li className={classes.step}>
      <span
        className={`${classes.mark} ${isDone ? 'c-ok' : 'c-mute'}`}
        role="img"
        aria-label={isDone ? 'Done' : `Step ${n}`}
      >
        {isDone ? <IconCheck size={14} stroke={2} /> : n}
      </span>
      <div className={classes.content}>
        <h3>{title}</h3>
        <p className="t2">{description}</p>
        {(!isDone || n > 1) && <div className={classes.actions}>{children}</div>}
      </div>
      <div className={classes.request}>
        <pre className="mono" tabIndex={0} aria-label={`API request: ${title}`}>
          {toCurl(call)}
        </pre>
        <CurlButton call={call} />
      </div>
    </li>
  )
}
