import { Button, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { Ending } from '../../parts/Ending.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Time } from '../../parts/Time.tsx'
import { Part } from '../../shell/Page.tsx'
import { Copied } from './Copied.tsx'
import classes from './sender.module.css'

type Source = Schemas['FeedbackSource']

const NAMES: Record<string, string> = {
  ses: 'Amazon SES',
  sendgrid: 'SendGrid',
  postmark: 'Postmark',
  mailgun: 'Mailgun',
}

/** The mail providers that may tell what came back: where each calls, and what proves its calls. */
export function Providers() {
  const { data, error, refetch } = useRead(
    ['feedback-sources'],
    async (api, signal) => (await api.GET('/feedback-sources', { signal })).data.data,
  )
  return (
    <Part title="Reports of mail providers">
      <p className="t2">
        Whoever delivers your mail can tell of bounces and complaints: these addresses are not mailed any more. Give the
        provider the address to call, and say here what proves its calls.
      </p>
      {error && <Problem error={error} again={() => void refetch()} />}
      <ul className={classes.records}>
        {data?.map((source) => (
          <OfProvider key={source.provider} source={source} />
        ))}
      </ul>
    </Part>
  )
}

function OfProvider({ source }: { source: Source }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const isOwner = useMay('owner')
  const [isAsked, setAsked] = useState(false)
  const { provider, url, isSet, lastUsedAt } = source
  const name = NAMES[provider] ?? provider
  return (
    <li className="card still">
      <div className="row">
        <h3 className="strong">{name}</h3>
        <span className="push t2">
          {!isSet ? (
            'Not heard'
          ) : lastUsedAt === null ? (
            'Heard; it has not called yet'
          ) : (
            <>
              Called <Time at={lastUsedAt} />
            </>
          )}
        </span>
      </div>
      <dl className={classes.record}>
        <Copied word="Calls" text={url} />
      </dl>
      {isOwner && <Credential source={source} name={name} />}
      {isOwner && isSet && !isAsked && (
        <Button variant="subtle" color="gray" onClick={() => setAsked(true)}>
          Hear {name} no more…
        </Button>
      )}
      {isAsked && (
        <Ending
          verb={`Hear ${name} no more`}
          says="What proves its calls is forgotten."
          call={async () => {
            await api.DELETE('/feedback-sources/{provider}', { params: { path: { provider } } })
            await readAgain('feedback-sources')
          }}
          onDone={() => setAsked(false)}
        />
      )}
    </li>
  )
}

function Credential({ source, name }: { source: Source; name: string }) {
  const { provider, credential: what, isSet } = source
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [credential, setCredential] = useState('')
  const save = useMutation({
    mutationFn: () => api.PUT('/feedback-sources/{provider}', { params: { path: { provider } }, body: { credential } }),
    onSuccess: () => {
      setCredential('')
      return readAgain('feedback-sources')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} aria-label={`What proves calls of ${name}`} style={{ marginTop: 8 }}>
      <Unsaved isDirty={credential !== ''} isSending={save.isPending} />
      {save.isError && <Problem error={save.error} isAnswer />}
      <div className="row" style={{ alignItems: 'end', flexWrap: 'wrap' }}>
        <PasswordInput
          label={what}
          description={isSet ? 'Kept, and shown nowhere. Another one takes its place.' : 'It is kept encrypted.'}
          autoComplete="off"
          style={{ flex: '1 1 260px' }}
          value={credential}
          onChange={({ currentTarget: { value } }) => setCredential(value)}
        />
        <Button type="submit" loading={save.isPending}>
          Hear {name}
        </Button>
      </div>
    </form>
  )
}
