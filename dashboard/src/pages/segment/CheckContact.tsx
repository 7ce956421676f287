import { Button, TextInput } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { Section } from '../../layout/Page.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { type CheckedLine, checkedLines } from './checked-parts.ts'
import classes from './segment.module.css'

/** Asks whether a contact is in a segment, and why. */
export function CheckContact({ segment }: { segment: Schemas['Segment'] }) {
  const { api } = useWorkspace()
  const form = useApiForm({
    initialValues: { contact: '' },
    validate: ({ contact }) => ({ contact: contact.trim() === '' && 'Enter an email address or an ID.' }),
    async send({ contact }) {
      const params = { path: { id: segment.id, contactId: contact.trim() } }
      return (await api.GET('/segments/{id}/contacts/{contactId}', { params })).data.data
    },
  })
  const { data: checked, variables } = form.request
  return (
    <Section title="Check a contact">
      <ApiForm form={form} label="Check a contact" hasUnsavedGuard={false} className="" fieldsClassName="row">
        <TextInput
          aria-label="Email or ID"
          placeholder="Email or ID"
          style={{ flex: 1, minWidth: 0 }}
          {...form.getInputProps('contact')}
        />
        <Button type="submit" loading={form.request.isPending}>
          Check
        </Button>
      </ApiForm>
      <div role="status">
        {checked && variables && <Answer segment={segment} checked={checked} asked={variables.contact.trim()} />}
      </div>
    </Section>
  )
}

function Answer({
  segment,
  checked: { contactId, matches, parts },
  asked,
}: {
  segment: Schemas['Segment']
  checked: Schemas['CheckedContact']
  asked: string
}) {
  const { workspace } = useWorkspace()
  const lines = checkedLines(segment.condition, parts, useConditionNames())
  return (
    <div className={classes.answer}>
      <p className="strong">
        <Link
          className="link"
          to="/w/$workspaceId/contacts/$contactId"
          params={{ workspaceId: workspace.id, contactId }}
        >
          <bdi>{asked}</bdi>
        </Link>{' '}
        {matches ? 'matches.' : 'does not match.'}
      </p>
      <ul aria-label="Conditions">
        {lines.map((line) => (
          <Line key={line.path} line={line} />
        ))}
      </ul>
    </div>
  )
}

function Line({ line: { text, level, isFulfilled, decides, found } }: { line: CheckedLine }) {
  const Icon = isFulfilled ? IconCheck : IconX
  return (
    <li className={classes.part} style={{ paddingLeft: 16 * level }} data-decides={decides || undefined}>
      <span
        className={`${classes.mark} c-${isFulfilled ? 'ok' : 'bad'}`}
        role="img"
        aria-label={isFulfilled ? 'Fulfilled' : 'Not fulfilled'}
      >
        <Icon aria-hidden />
      </span>
      <span>
        {text}
        {found !== undefined && <span className="small t2"> · found: {found}</span>}
      </span>
    </li>
  )
}
