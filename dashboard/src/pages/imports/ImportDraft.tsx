import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { omit } from '../../lib/omit.ts'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { ConsentForm, type ImportOptions } from './ConsentForm.tsx'
import {
  type Consent,
  type Decision,
  type Decisions,
  decisionOf,
  type Import,
  isDecided,
  type Mapping,
  type MappingInput,
} from './imports.ts'
import { MapColumns } from './MapColumns.tsx'

/** The mapping of a draft: its columns first, then the consent of its contacts. */
export function ImportDraft({ of }: { of: Import }) {
  const { data, error, refetch } = useWorkspaceQuery(
    ['imports', of.id, 'mapping'],
    async (read, signal) =>
      (await read.GET('/imports/{id}/mapping', { params: { path: { id: of.id } }, signal })).data.data,
    { once: true },
  )
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={6} />
  return <MappingSteps of={of} found={data} />
}

/** Columns that may hold consent have no guess, so the user has to decide them. */
const decisionsOf = ({ columns }: Mapping): Decisions =>
  Object.fromEntries(
    columns.flatMap(({ column, decision, guess }) => {
      const given = decisionOf(decision ?? guess)
      return given ? [[column, given] as const] : []
    }),
  )

function MappingSteps({ of: { id, tags, listId, triggers, confirmed }, found }: { of: Import; found: Mapping }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [mapping, setMapping] = useState(found)
  const [decisions, setDecisions] = useState(() => decisionsOf(found))
  const [step, setStep] = useState<'columns' | 'consent'>('columns')
  const [options, setOptions] = useState({ listId, tags, triggers, confirmed })
  const [consent, setConsent] = useState<Consent | null>(found.consent)
  const [isChecked, setChecked] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const params = { path: { id } }
  const put = async (body: MappingInput) => (await api.PUT('/imports/{id}/mapping', { params, body })).data.data
  const bodyOf = (preset: Mapping['preset'], columns: Decisions): MappingInput => ({
    ...options,
    preset,
    columns: Object.entries(columns).map(([column, decision]) => ({ column, ...decision })),
  })
  const usePreset = useMutation({
    mutationFn: (preset: Mapping['preset']) => put(bodyOf(preset, {})),
    onSuccess: (next) => {
      setMapping(next)
      setDecisions(decisionsOf(next))
      setConsent(next.consent)
    },
  })
  const save = useMutation({
    mutationFn: () => put(bodyOf(mapping.preset, decisions)),
    onSuccess: (next) => {
      setMapping(next)
      const hasConsent = Object.values(decisions).some(({ field }) => field === 'consent')
      setConsent((now) =>
        hasConsent ? (now === 'SUBSCRIBED' || now === null ? 'COLUMNS' : now) : now === 'COLUMNS' ? null : now,
      )
      setStep('consent')
    },
  })
  const start = async (stated: ImportOptions) => {
    await put({ ...bodyOf(mapping.preset, decisions), ...stated })
    await api.POST('/imports/{id}/start', { params })
    void invalidate('imports')
  }
  const undecided = mapping.columns.filter(({ column }) => !isDecided(decisions[column]))
  const decide = (column: string, decision: Decision | undefined) => {
    save.reset()
    setDecisions((now) => (decision ? { ...now, [column]: decision } : omit(now, column)))
  }
  const failed = [usePreset, save].find(({ isError }) => isError)
  return (
    <div ref={root}>
      {failed && <ErrorBanner error={failed.error} scrollsIntoView />}
      {step === 'columns' ? (
        <>
          <MapColumns
            mapping={mapping}
            decisions={decisions}
            isChecked={isChecked}
            isBusy={usePreset.isPending}
            onDecide={decide}
            onPreset={(preset) => usePreset.mutate(preset)}
          />
          <div className="row" style={{ marginTop: 16 }}>
            <Button
              variant="filled"
              loading={save.isPending}
              onClick={() => {
                // The fields are marked before one of them is focused.
                flushSync(() => setChecked(true))
                if (undecided.length === 0) save.mutate()
                else if (root.current) focusInvalidField(root.current)
              }}
            >
              Continue
            </Button>
            <span className={isChecked && undecided.length > 0 ? 'c-warn' : 't2'} role="status">
              {undecided.length === 0
                ? 'Every column is decided.'
                : `${undecided.length} of ${mapping.columns.length} columns ${undecided.length === 1 ? 'needs' : 'need'} a decision: ${undecided
                    .slice(0, 5)
                    .map(({ column }) => column)
                    .join(', ')}`}
            </span>
          </div>
        </>
      ) : (
        <ConsentForm
          options={{ ...options, consent }}
          columns={Object.entries(decisions).flatMap(([column, { field }]) => (field === 'consent' ? [column] : []))}
          onBack={({ consent: stated, ...rest }) => {
            setConsent(stated)
            setOptions(rest)
            setStep('columns')
          }}
          onStart={start}
        />
      )}
    </div>
  )
}
