import { notifications } from '@mantine/notifications'
import { errorMessage } from '../../api/client.ts'
import { useHasRole } from '../../api/workspace.tsx'
import { PausedNotice } from '../../components/PausedNotice.tsx'
import { DeletedNotice, DraftConflictNotice, StaleDraftNotice } from './ConflictNotices.tsx'
import { MoveNotice } from './MoveNotice.tsx'
import type { DraftState } from './use-draft.ts'
import type { OpenedAutomation } from './use-opened-automation.ts'

/** States above the canvas that the automation was paused, changed or deleted. */
export function BuilderNotices({
  current: { opened, isStale, openAgain, keepDraft },
  draftState,
  isDeleted,
  onDiscard,
}: {
  current: OpenedAutomation
  draftState: DraftState
  isDeleted: boolean
  onDiscard: () => void
}) {
  const isEditor = useHasRole('editor')
  const { automation, draft } = opened
  return (
    <>
      {isDeleted && <DeletedNotice />}
      {draftState.saving.is === 'changed' && !isDeleted && (
        <DraftConflictNotice
          onTheirs={() => void openAgain('to mine')}
          onMine={() =>
            void draftState.overwrite().catch((error: unknown) => {
              notifications.show({ color: 'bad', title: 'Couldn’t save the draft', message: errorMessage(error) })
            })
          }
        />
      )}
      {!isDeleted && <MoveNotice automationId={automation.id} />}
      {automation.pauseReason !== null && <PausedNotice reason={automation.pauseReason} />}
      {isStale && isEditor && <StaleDraftNotice savedBy={draft?.savedBy} onDiscard={onDiscard} onKeep={keepDraft} />}
    </>
  )
}
