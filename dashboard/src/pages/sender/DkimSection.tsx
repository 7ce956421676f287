import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'
import { AskButton } from '../../primitives/AskButton.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import classes from './sender.module.css'

export function DkimSection({ sender }: { sender: Schemas['Sender'] }) {
  const isOwner = useHasRole('owner')
  return (
    <Section title="DKIM">
      <div className="card still">
        <p className="t2">
          {sender.isSigned ? (
            <>
              Emails are signed with the key <span className="mono">{sender.dkimSelector}</span>. Add its DNS record
              below.
            </>
          ) : (
            'Emails aren’t signed. Gmail and Yahoo require DKIM for bulk email.'
          )}
        </p>
        {sender.nextDkimSelector !== null && (
          <p className="t2">
            The next key is <span className="mono">{sender.nextDkimSelector}</span>. Add its DNS record below, then
            switch to it.
          </p>
        )}
        {isOwner && !sender.isSigned && <SetUpDkimForm />}
        {isOwner && sender.isSigned && (
          <>
            <RotateDkimKey hasNext={sender.nextDkimSelector !== null} />
            <DeleteDkimKey />
          </>
        )}
      </div>
    </Section>
  )
}

const NEW_KEY = { selector: 'dripline' }

function SetUpDkimForm() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: NEW_KEY,
    async send(body) {
      await api.POST('/sender/dkim', { body })
      // Loading until the form is gone, so that it is sent once.
      await invalidate('sender')
    },
  })
  return (
    <ApiForm form={form} label="Set up DKIM" className="formFields" fieldsClassName={`row ${classes.fieldRow}`}>
      <TextInput label="Selector" description="Use a new selector for each key." {...form.getInputProps('selector')} />
      <Button type="submit" loading={form.request.isPending}>
        Set up DKIM
      </Button>
    </ApiForm>
  )
}

/** Creates the next key, or switches to it after its record is published. */
function RotateDkimKey({ hasNext }: { hasNext: boolean }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const rotate = useMutation({
    mutationFn: () => (hasNext ? api.POST('/sender/dkim/switch') : api.POST('/sender/dkim', { body: {} })),
    onSuccess: () => invalidate('sender'),
  })
  return (
    <>
      {rotate.isError && <ErrorBanner error={rotate.error} scrollsIntoView />}
      <div className="row">
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          {hasNext ? 'Switch to next key' : 'Create next key'}
        </Button>
      </div>
    </>
  )
}

function DeleteDkimKey() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return (
    <AskButton
      label="Delete DKIM keys…"
      confirmLabel="Delete DKIM keys"
      description="New emails won’t be signed. This can’t be undone."
      action={async () => {
        await api.DELETE('/sender/dkim')
        await invalidate('sender')
      }}
    />
  )
}
