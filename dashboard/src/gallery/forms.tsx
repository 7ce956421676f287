import { Button, Checkbox, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { IntegerInput } from '../components/IntegerInput.tsx'
import { ApiForm } from '../primitives/ApiForm.tsx'
import { useAutosave } from '../primitives/use-autosave.ts'
import { useApiForm } from '../primitives/use-api-form.ts'
import { SaveStatus } from '../primitives/SaveStatus.tsx'
import { useFakeServer } from './fake-server.tsx'
import { Section, State } from './Section.tsx'

/** An edit form over values that another member can change in the meantime. */
function EditForm() {
  const server = useFakeServer()
  const router = useRouter()
  const [saved, setSaved] = useState({ name: 'Newsletter', note: '', perDay: 3 })
  const [done, setDone] = useState(0)
  const form = useApiForm({
    initialValues: saved,
    isEdit: true,
    validate: ({ name, note }) => ({
      name: name.trim() === '' && 'Enter a name.',
      note: note.includes('!') && 'Remove the exclamation mark.',
    }),
    send: async (_values, changes) => {
      await server.send(changes)
      setSaved((before) => ({ ...before, ...changes }))
    },
    onSent: () => setDone((times) => times + 1),
  })
  const theirs = () =>
    setSaved((before) => ({ ...before, name: `${before.name} of another member`, note: 'Note of another member' }))
  return (
    <>
      <ApiForm form={form} label="Edit list" hasHeading submitLabel="Save list">
        <TextInput label="Name" {...form.getInputProps('name')} />
        <TextInput label="Note" {...form.getInputProps('note')} />
        <IntegerInput
          label="Emails per day"
          min={1}
          max={24}
          {...form.getInputProps('perDay')}
          value={form.values.perDay}
        />
      </ApiForm>
      <div className="row" style={{ marginTop: 12 }}>
        <Button onClick={theirs}>Save as another member</Button>
        <Button onClick={() => router.history.push('/elsewhere')}>Leave the page</Button>
        <output className="small" aria-label="Done">
          {done}
        </output>
      </div>
      {server.controls}
    </>
  )
}

/** A form that a button opens, and that closes when it is sent. */
function NewForm({ onClose }: { onClose: () => void }) {
  const server = useFakeServer()
  const form = useApiForm({
    initialValues: { name: '' },
    send: (values) => server.send(values),
    onSent: onClose,
  })
  return (
    <>
      <ApiForm form={form} label="New list" submitLabel="Create list" onCancel={onClose}>
        <TextInput label="Name" {...form.getInputProps('name')} />
      </ApiForm>
      {server.controls}
    </>
  )
}

function Opened() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>New list</Button>
      {isOpen && <NewForm onClose={() => setOpen(false)} />}
    </>
  )
}

/** A draft that saves itself while its page is open. */
function Draft() {
  const server = useFakeServer()
  const [subject, setSubject] = useState('Hello')
  const [savedKey, setSavedKey] = useState(subject)
  const { state, isDirty, flush } = useAutosave({
    key: subject,
    savedKey,
    save: async () => {
      await server.send(subject)
      setSavedKey(subject)
    },
  })
  // As a page with a button that sends what is saved: both ask for everything to be saved.
  const sendTwice = () => {
    void flush()
    void flush()
  }
  return (
    <>
      <div className="row">
        <TextInput label="Subject" value={subject} onChange={({ currentTarget: { value } }) => setSubject(value)} />
        <SaveStatus state={state} isDirty={isDirty} onRetry={() => void flush()} />
        <Button className="push" onClick={sendTwice}>
          Save now, twice
        </Button>
      </div>
      {server.controls}
    </>
  )
}

/** A form for a member who may not change what it shows. */
function ReadOnlyForm() {
  const form = useApiForm({
    initialValues: { name: 'Newsletter', perDay: 3, isPublic: true },
    isReadOnly: true,
    send: () => Promise.resolve(),
  })
  return (
    <ApiForm form={form} label="Read list" submitLabel="Save list">
      <TextInput label="Name" {...form.getInputProps('name')} />
      <IntegerInput label="Emails per day" min={1} {...form.getInputProps('perDay')} value={form.values.perDay} />
      <Checkbox label="Public" {...form.getInputProps('isPublic', { type: 'checkbox' })} />
    </ApiForm>
  )
}

const SAVED_AT = new Date(2026, 10, 24, 14, 31)

export const FormSections = () => (
  <>
    <Section title="Form">
      <State title="Edit">
        <EditForm />
      </State>
      <State title="Read-only">
        <ReadOnlyForm />
      </State>
      <State title="Opened by a button">
        <Opened />
      </State>
    </Section>
    <Section title="Autosave">
      <State title="Draft">
        <Draft />
      </State>
      <State title="All states">
        <div className="row">
          <SaveStatus state={{ kind: 'saved', at: SAVED_AT }} isDirty={false} onRetry={() => undefined} />
          <SaveStatus state={{ kind: 'saving' }} isDirty onRetry={() => undefined} />
          <SaveStatus state={{ kind: 'failed', error: undefined }} isDirty onRetry={() => undefined} />
        </div>
      </State>
    </Section>
  </>
)
