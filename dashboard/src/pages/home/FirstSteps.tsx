import { Button, TextInput } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { callOnce } from '../../api/call-once.ts'
import { useSession } from '../../api/session.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { MESSAGE_STATUS } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { useSenderCheck } from '../../components/use-sender-check.tsx'
import { type ApiCall, toCurl } from '../../lib/curl.ts'
import type { NavItem } from '../../layout/navigation.ts'
import { plural } from '../../lib/format.ts'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import classes from './FirstSteps.module.css'
import type { Progress } from './use-first-steps.ts'

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

const EVENT: ApiCall = { method: 'POST', path: '/events', body: { name: 'Signed up', email: 'you@example.com' } }

/** The way of a new workspace to its first email. A step is done when the workspace has what it asks for, also by the API. */
export function FirstSteps({
  progress,
  onBegin,
  onHide,
}: {
  progress: Progress
  onBegin: () => void
  onHide: () => void
}) {
  const { workspace } = useWorkspace()
  const isOwner = useHasRole('owner')
  const sender = useSenderCheck()
  const { contacts, emails, running, event, message } = progress
  const verifySender: StepProps = {
    title: 'Verify the sender',
    isDone: sender.isVerified,
    fact: isOwner ? sender.fact : <>{sender.fact}. Ask an owner to set it up.</>,
    link: isOwner && { to: '/w/$workspaceId/sender', label: 'Set up sender' },
  }
  const steps: StepProps[] = [
    // Mail of a test workspace is captured.
    ...(workspace.mode === 'test' ? [] : [verifySender]),
    {
      title: 'Write an email',
      isDone: emails > 0,
      fact: emails > 0 ? plural(emails, 'email') : 'None yet. A template is used in automations and campaigns.',
      link: { to: '/w/$workspaceId/templates', label: 'Templates' },
    },
    {
      title: 'Activate an automation, or send a campaign',
      isDone: running > 0,
      fact:
        running > 0 ? `${running} active or sent` : 'The welcome automation mails every new contact. You can edit it.',
      link: { to: '/w/$workspaceId/automations', label: 'Automations' },
      children: running === 0 && <CreateWelcome onBegin={onBegin} />,
    },
    {
      title: 'Add contacts',
      isDone: contacts > 0,
      fact: contacts > 0 ? plural(contacts, 'contact') : 'Begin with yourself. New contacts enter the automation.',
      link: { to: '/w/$workspaceId/imports', label: 'Import' },
      children: message === undefined && <AddYourself isNext={running > 0} onBegin={onBegin} />,
    },
    {
      title: 'Connect your app',
      isDone: event !== undefined,
      fact: event ? (
        <>
          “{event.name}” arrived <Time at={event.firedAt} />
        </>
      ) : (
        'Waiting for the first event. It creates its contact.'
      ),
      link: isOwner && { to: '/w/$workspaceId/keys', label: 'API keys' },
      children: !event && <Request call={EVENT} />,
    },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <section className={classes.steps} aria-label="First steps">
      <div className="row">
        <h2 className={classes.claim}>Your first email</h2>
        <Button className="push" variant="subtle" color="gray" onClick={onHide}>
          Hide first steps
        </Button>
      </div>
      <p className="t2">
        {done === steps.length
          ? 'All steps are done.'
          : `${done} of ${steps.length} steps done, in any order. Each is checked automatically.`}{' '}
        {workspace.mode === 'test' && 'This is a test workspace: you’ll see what would have been sent.'}
      </p>
      {message !== undefined && <FirstMessage message={message} />}
      <ol>
        {steps.map((step, n) => (
          <Step key={step.title} n={n + 1} {...step} />
        ))}
      </ol>
    </section>
  )
}

interface StepProps {
  title: string
  isDone: boolean
  fact: ReactNode
  link: false | { to: NavItem['to']; label: string }
  children?: ReactNode
}

function Step({ n, title, isDone, fact, link, children }: StepProps & { n: number }) {
  const { workspace } = useWorkspace()
  return (
    <li className={classes.step}>
      <span
        className={`${classes.mark} ${isDone ? 'c-ok' : 'c-mute'}`}
        role="img"
        aria-label={isDone ? 'Done' : `Step ${n}`}
      >
        {isDone ? <IconCheck size={14} stroke={2} /> : n}
      </span>
      <div>
        <h3>{title}</h3>
        <p className="t2">{fact}</p>
      </div>
      <div className={classes.action}>
        {link && (
          <Link className="link" to={link.to} params={{ workspaceId: workspace.id }}>
            {link.label}
          </Link>
        )}
      </div>
      {children !== undefined && children !== false && <div className={classes.content}>{children}</div>}
    </li>
  )
}

function CreateWelcome({ onBegin }: { onBegin: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
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
  return (
    <>
      {create.isError && <ErrorBanner error={create.error} scrollsIntoView />}
      <Button variant="filled" loading={create.isPending} onClick={() => create.mutate()}>
        Create welcome automation
      </Button>
    </>
  )
}

function AddYourself({ isNext, onBegin }: { isNext: boolean; onBegin: () => void }) {
  const { api } = useWorkspace()
  const { data: session } = useSession()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: { email: session?.account.email ?? '' },
    async send({ email }) {
      onBegin()
      await api.POST('/contacts', { body: { email } }).finally(() => void invalidate())
    },
  })
  return (
    <ApiForm form={form} label="Add yourself" className="" fieldsClassName={classes.form} hasUnsavedGuard={false}>
      <TextInput aria-label="Email" type="email" {...form.getInputProps('email')} />
      <Button type="submit" variant={isNext ? 'filled' : 'default'} loading={form.request.isPending}>
        Add contact
      </Button>
    </ApiForm>
  )
}

const Request = ({ call }: { call: ApiCall }) => (
  <div className={classes.request}>
    <pre className="mono" tabIndex={0} aria-label="API request">
      {toCurl(call)}
    </pre>
    <CurlButton call={call} />
  </div>
)

/** The first email, as soon as there is one. */
function FirstMessage({ message }: { message: NonNullable<Progress['message']> }) {
  const { workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const { status, subject, to, contactId } = message
  // The delivery log beside the steps shows the same status.
  useEffect(() => void invalidate('messages', 'last'), [status, invalidate])
  return (
    <p className={`${classes.message} c-ok`} role="status">
      <span>
        “<bdi>{subject ?? 'Your email'}</bdi>” to <bdi>{to ?? 'you'}</bdi>: {MESSAGE_STATUS[status].label.toLowerCase()}
        .
      </span>
      {contactId !== null && (
        <Link to="/w/$workspaceId/contacts/$contactId" params={{ workspaceId: workspace.id, contactId }}>
          <Button variant="filled" component="span">
            Read email
          </Button>
        </Link>
      )}
    </p>
  )
}
