import { ActionIcon, Menu, SegmentedControl, TextInput, VisuallyHidden } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconArrowBackUp, IconArrowForwardUp, IconDots } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay, useRead, useWorkspace } from '../../api/workspace.tsx'
import { AUTOMATION_LOOKS, State } from '../../parts/states.tsx'
import { useListNames } from '../automations/automations.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import classes from './Builder.module.css'
import { Canvas, type Selected } from './Canvas.tsx'
import { useIsPhone } from '../../parts/use-is-phone.ts'
import { Outline } from './Outline.tsx'
import { Aside } from './Aside.tsx'
import { revisionOf } from './opened.ts'
import { Inspector } from './Inspector.tsx'
import { numbersBySteps } from './numbers.ts'
import { NumbersPanel } from './NumbersPanel.tsx'
import { type Ending, Endings } from './Endings.tsx'
import { Publish } from './Publish.tsx'
import { Stale } from './Stale.tsx'
import { SavingLine } from './SavingLine.tsx'
import { newStep, type Sequence, type Step } from './sequence.ts'
import { useDraft } from './useDraft.ts'

export interface Opened {
  automation: Schemas['Automation']
  etag: string
  draft: (Schemas['Draft'] & { etag: string }) | undefined
  sequence: Sequence
}

export function Builder({ opened, reopen }: { opened: Opened; reopen: () => void }) {
  const { automation, draft } = opened
  const { workspace } = useWorkspace()
  const may = useMay('editor')
  const { view = 'edit', step } = useSearch({ from: '/w/$workspaceId/automations/$automationId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/automations/$automationId' })
  const selected: Selected = step ?? 'trigger'
  const select = useCallback(
    (next: Selected) => void navigate({ search: (before) => ({ ...before, step: next }), replace: true }),
    [navigate],
  )
  const revision = revisionOf(opened.etag)
  const drafted = useDraft(automation.id, {
    sequence: opened.sequence,
    etag: draft?.etag ?? '"0"',
    basedOn: draft?.basedOn ?? revision,
    isDraft: draft !== undefined,
  })
  const { edited, act } = drafted
  const { now: sequence } = edited
  // Begun with a version that is not there any more: publishing it would take back what came after.
  const [isStale, setStale] = useState(draft !== undefined && draft.basedOn !== revision)
  const [ending, setEnding] = useState<Ending>()
  const [newId, setNewId] = useState<string>()
  const listName = useListNames()
  const starts = TRIGGERS[sequence.trigger].says(sequence.triggerConfig, listName)
  const isNumbers = view === 'numbers'
  const { data: figures } = useRead(
    ['automations', automation.id, 'figures'],
    async (api, signal) =>
      (await api.GET('/automations/{id}/figures', { params: { path: { id: automation.id } }, signal })).data.data,
    { everyMs: 5_000 },
  )
  const Drawn = useIsPhone() ? Outline : Canvas
  const numbers = useMemo(() => {
    if (!isNumbers || !figures) return undefined
    const by = numbersBySteps(sequence, figures)
    return { ...figures, of: (id: string) => by.get(id) }
  }, [isNumbers, figures, sequence])

  const { steps } = sequence
  const place = steps.findIndex(({ id }) => id === selected)
  const add = useCallback(
    (type: Step['type'], at: number) => {
      const made = newStep(type)
      act({ do: 'change', change: { do: 'add', step: made, at } })
      setNewId(made.id)
      select(made.id)
    },
    [act, select],
  )
  const move = useCallback((id: string, to: number) => act({ do: 'change', change: { do: 'move', id, to } }), [act])
  const remove = (id: string) => {
    const at = steps.findIndex((each) => each.id === id)
    act({ do: 'change', change: { do: 'remove', id } })
    select(steps[at + 1]?.id ?? steps[at - 1]?.id ?? 'trigger')
  }
  const copy = (id: string) => {
    const as = crypto.randomUUID()
    act({ do: 'change', change: { do: 'copy', id, as } })
    select(as)
  }
  const order: Selected[] = ['trigger', ...steps.map(({ id }) => id), 'end']
  const walk = (by: number) => {
    const at = order.indexOf(selected)
    select(order[Math.max(0, Math.min(order.length - 1, at + by))]!)
  }
  // What is typed while it is being published would be in neither.
  const [isPublishing, setPublishing] = useState(false)
  const canEdit = may && !isNumbers && !isPublishing
  // In a menu or a dialog the keys are for that.
  const ifHere = (run: () => void) => () => {
    if (!document.activeElement?.closest('[role=menu], [role=dialog], [role=listbox]')) run()
  }
  const ifEditing = (run: () => void) =>
    ifHere(() => {
      if (canEdit) run()
    })
  const behind = selected === 'trigger' ? 0 : selected === 'end' ? steps.length : place + 1
  useHotkeys([
    ['ArrowDown', ifHere(() => walk(1))],
    ['ArrowUp', ifHere(() => walk(-1))],
    ['a', ifEditing(() => add('EMAIL', behind))],
    ['w', ifEditing(() => add('WAIT', behind))],
    ['d', ifEditing(() => place >= 0 && copy(selected))],
    ['Delete', ifEditing(() => place >= 0 && remove(selected))],
    ['Backspace', ifEditing(() => place >= 0 && remove(selected))],
    ['alt+ArrowDown', ifEditing(() => place >= 0 && move(selected, place + 1))],
    ['alt+ArrowUp', ifEditing(() => place >= 0 && move(selected, place - 1))],
    ['p', ifHere(() => may && automation.status === 'ACTIVE' && setEnding('pause'))],
    ['mod+z', ifEditing(() => act({ do: 'undo' }))],
    ['mod+shift+z', ifEditing(() => act({ do: 'redo' }))],
    ['mod+y', ifEditing(() => act({ do: 'redo' }))],
    ['1', () => void navigate({ search: (before) => ({ ...before, view: 'edit' }) })],
    ['2', () => void navigate({ search: (before) => ({ ...before, view: 'numbers' }) })],
  ])

  return (
    <>
      <header className={classes.bar}>
        <VisuallyHidden component="h1">{sequence.name}</VisuallyHidden>
        <Link to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }} className={`t3 ${classes.crumb}`}>
          Automations
        </Link>
        <TextInput
          className={classes.name}
          aria-label="Name"
          variant="unstyled"
          value={sequence.name}
          readOnly={!canEdit}
          onChange={({ currentTarget: { value } }) =>
            act({ do: 'change', change: { do: 'set', fields: { name: value } } })
          }
        />
        <State look={AUTOMATION_LOOKS[automation.status]} />
        <SavingLine drafted={drafted} reopen={reopen} />
        <SegmentedControl
          className={classes.views}
          aria-label="View"
          value={view}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, view: value }) })}
          data={[
            { value: 'edit', label: 'Edit' },
            { value: 'numbers', label: 'Numbers' },
          ]}
        />
        {canEdit && (
          <>
            <ActionIcon aria-label="Undo" disabled={edited.before.length === 0} onClick={() => act({ do: 'undo' })}>
              <IconArrowBackUp aria-hidden />
            </ActionIcon>
            <ActionIcon aria-label="Redo" disabled={edited.after.length === 0} onClick={() => act({ do: 'redo' })}>
              <IconArrowForwardUp aria-hidden />
            </ActionIcon>
          </>
        )}
        {may && (
          <>
            <Menu>
              <Menu.Target>
                <ActionIcon aria-label="More">
                  <IconDots aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {automation.status === 'ACTIVE' && <Menu.Item onClick={() => setEnding('pause')}>Pause…</Menu.Item>}
                {automation.status !== 'ARCHIVED' && (
                  <Menu.Item onClick={() => setEnding('archive')}>Archive…</Menu.Item>
                )}
                {drafted.hasDraft && <Menu.Item onClick={() => setEnding('discard')}>Discard the draft…</Menu.Item>}
                <Menu.Divider />
                <Menu.Item color="bad" onClick={() => setEnding('delete')}>
                  Delete…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <Publish
              opened={opened}
              drafted={drafted}
              figures={figures}
              isStale={isStale}
              select={select}
              reopen={reopen}
              onBusy={setPublishing}
            />
          </>
        )}
      </header>
      {isStale && draft && (
        <Stale savedBy={draft.savedBy} onDiscard={() => setEnding('discard')} onKeep={() => setStale(false)} />
      )}
      {ending && (
        <Endings
          ending={ending}
          opened={opened}
          figures={figures}
          onDone={(isGone) => {
            setEnding(undefined)
            // What was discarded is not kept once more; what was typed last is.
            if (ending === 'discard' || isGone) drafted.forget(sequence)
            if (isGone) void navigate({ to: '/w/$workspaceId/automations', params: { workspaceId: workspace.id } })
            else if (ending === 'discard' || !drafted.hasDraft) reopen()
            else void drafted.keep(sequence).then(reopen, () => undefined)
          }}
          onCancel={() => setEnding(undefined)}
        />
      )}
      <main className={classes.two}>
        <div className={classes.canvas}>
          <Drawn
            sequence={sequence}
            starts={starts}
            selected={selected}
            onSelect={select}
            onAdd={canEdit ? add : undefined}
            onMove={canEdit ? move : undefined}
            numbers={numbers}
          />
        </div>
        <Aside isOpen={step !== undefined} onClose={() => void navigate({ search: { view }, replace: true })}>
          {isNumbers ? (
            <NumbersPanel automation={automation} sequence={sequence} figures={figures} selected={selected} />
          ) : (
            <Inspector
              sequence={sequence}
              selected={selected}
              act={act}
              canEdit={canEdit}
              newId={newId}
              onAdd={add}
              onCopy={copy}
              onRemove={remove}
              onMove={move}
            />
          )}
        </Aside>
      </main>
    </>
  )
}
