import { Button, Menu, Select } from '@mantine/core'
import { useState } from 'react'
import { AsidePanel } from '../primitives/AsidePanel.tsx'
import { AskButton } from '../primitives/AskButton.tsx'
import { DropZone, UploadButton } from '../primitives/DropZone.tsx'
import { showUndo } from '../primitives/undo-toast.tsx'
import { useHistory } from '../primitives/use-history.ts'
import { useFakeServer } from './fake-server.tsx'
import { ARABIC } from './people.ts'
import { Section, State } from './Section.tsx'

function Deletion() {
  const server = useFakeServer()
  return (
    <>
      <AskButton
        label="Delete list…"
        confirmLabel="Delete list"
        description="12 contacts leave the list. This can’t be undone."
        path="/lists/1"
        action={() => server.send('delete')}
      />
      {server.controls}
    </>
  )
}

function Toasts() {
  const server = useFakeServer()
  return (
    <>
      <div className="row">
        <Button onClick={() => showUndo('Archived 1 list.', () => server.send('restore 1'))}>Archive one</Button>
        <Button onClick={() => showUndo('Archived 2 lists.', () => server.send('restore 2'))}>Archive two</Button>
      </div>
      {server.controls}
    </>
  )
}

function Aside() {
  const [shown, setShown] = useState(false)
  return (
    <>
      <Button onClick={() => setShown(true)}>Show details</Button>
      {shown && (
        <AsidePanel label="Details" title={`person-1@example.com ${ARABIC}`} onClose={() => setShown(false)}>
          <Menu>
            <Menu.Target>
              <Button>More</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item>Copy ID</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <Select label="Status" data={['Active', 'Archived']} mt={12} />
        </AsidePanel>
      )}
    </>
  )
}

function Files({ canUpload }: { canUpload: boolean }) {
  const [names, setNames] = useState<readonly string[]>([])
  const take = (files: readonly File[]) => setNames((before) => [...before, ...files.map(({ name }) => name)])
  return (
    <DropZone hint="Drop to upload to Media" onFiles={canUpload ? take : undefined}>
      <div data-testid={canUpload ? 'zone' : 'no zone'} style={{ padding: 24 }}>
        {canUpload && <UploadButton accept="text/plain" isBusy={false} onFiles={take} />}
        <p className="small t2">Files</p>
        <output aria-label="Files">{names.join(', ')}</output>
      </div>
    </DropZone>
  )
}

function Undoable() {
  const { value, change, undo, redo, reset } = useHistory(() => '')
  return (
    <div className="row">
      <Button onClick={() => change((now) => `${now}a`, 'letters')}>Type a letter</Button>
      <Button onClick={() => change((now) => `${now}[image]`)}>Insert an image</Button>
      <Button onClick={() => change((now) => now)}>Change nothing</Button>
      <Button disabled={!undo} onClick={undo}>
        Undo
      </Button>
      <Button disabled={!redo} onClick={redo}>
        Redo
      </Button>
      <Button onClick={() => reset('')}>Start over</Button>
      <output aria-label="Text">{value}</output>
    </div>
  )
}

export const ActionSections = () => (
  <>
    <Section title="Confirmation">
      <Deletion />
    </Section>
    <Section title="Undo message">
      <Toasts />
    </Section>
    <Section title="Details beside a list">
      <Aside />
    </Section>
    <Section title="Files">
      <State title="A member who may upload">
        <Files canUpload />
      </State>
      <State title="A member who may not">
        <Files canUpload={false} />
      </State>
    </Section>
    <Section title="Steps that can be undone">
      <Undoable />
    </Section>
  </>
)
