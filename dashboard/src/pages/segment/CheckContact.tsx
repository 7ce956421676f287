import { Button, TextInput } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { hasErrorCode, type Schemas } from '../../api/client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'
import { type CheckedLine, checkedLines } from './checked-parts.ts'
import classes from './segment.module.css'

/** Asks whether a contact is in a segment, and why. */
export function CheckContact({ segment }: { segment: Schemas['Segment'] }) {
  const [asked, setAsked] = useState<string>()
  const [typed, setTyped] = useState('')
  const { data, error, isFetching } = useWorkspaceQuery(
    ['segments', segment.id, 'check', asked],
    async (api, signal) => {
      const params = { path: { id: segment.id, contactId: asked! } }
      return (await api.GET('/segments/{id}/contacts/{contactId}', { params, signal })).data.data
    },
    { enabled: asked !== undefined },
  )
  const isUnknown = error !== null && hasErrorCode(error, 'contact_not_found')
  return (
    <Section title="Check a contact">
      <form
        className="row"
        aria-label="Check a contact"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed.trim() !== '') setAsked(typed.trim())
        }}
      >
        <TextInput
          aria-label="Email or ID"
          placeholder="Email or ID"
          style={{ flex: 1, minWidth: 0 }}
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value)
            setAsked(undefined)
          }}
        />
        <Button type="submit" loading={isFetching}>
          Check
        </Button>
      </form>
      <div role="status">
        {isUnknown && <p className={`t2 ${classes.answer}`}>No contact has this email or ID.</p>}
        {data && <Answer segment={segment} checked={data} asked={asked!} />}
      </div>
      {error !== null && !isUnknown && <ErrorBanner error={error} />}
    </Section>
  )
}

function Answer({
  segment,
  checked: { contactId, matches, parts },
  asked,
}: {
  segment: Schemas['Segment']
  checked: Schemas['CheckedMember']
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
