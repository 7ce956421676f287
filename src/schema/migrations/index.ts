import { Migration001Foundation } from './001-foundation/index.ts'
import { Migration002KeptHeaders } from './002-kept-headers.ts'
import { Migration003ActiveVersion } from './003-active-version.ts'
import { Migration004ExternalIds } from './004-external-ids.ts'
import { Migration005OneActive } from './005-one-active.ts'
import { Migration006LifeOfKeys } from './006-life-of-keys.ts'
import { Migration007LedgerLists } from './007-ledger-lists.ts'
import { Migration008EventData } from './008-event-data.ts'
import { Migration009Restored } from './009-restored.ts'
import { Migration010TakenOut } from './010-taken-out.ts'
import { Migration011NamespaceId } from './011-namespace-id.ts'
import { Migration012WakeRetries } from './012-wake-retries.ts'
import { Migration013WorkedAt } from './013-worked-at.ts'
import { Migration014Accounts } from './014-accounts.ts'
import { Migration015Audit } from './015-audit.ts'
import { Migration016Figures } from './016-figures.ts'
import { Migration017Revisions } from './017-revisions.ts'
import { Migration018ContactSearch } from './018-contact-search.ts'
import { Migration019DraftsBegunWith } from './019-drafts-begun-with.ts'
import { Migration020Consent } from './020-consent.ts'
import { Migration021Templates } from './021-templates.ts'
import { Migration022Campaigns } from './022-campaigns.ts'
import { Migration023Senders } from './023-senders.ts'
import { Migration024Bounces } from './024-bounces.ts'
import { Migration025Imports } from './025-imports.ts'
import { Migration026ListsGoing } from './026-lists-going.ts'
import { Migration027DoubleOptIn } from './027-double-opt-in.ts'
import { Migration028Tracking } from './028-tracking.ts'
import { Migration029Pending } from './029-pending.ts'
import { Migration030FeedbackCalls } from './030-feedback-calls.ts'
import { Migration031AbTests } from './031-ab-tests.ts'
import { Migration032WarmUp } from './032-warm-up.ts'
import { Migration033LastVisits } from './033-last-visits.ts'
import { Migration034ListAsks } from './034-list-asks.ts'
import { Migration035WakesOfSequences } from './035-wakes-of-sequences.ts'
import { Migration036LeftLists } from './036-left-lists.ts'
import { Migration037AsksOfAnAddress } from './037-asks-of-an-address.ts'
import { Migration038SaidMeanwhile } from './038-said-meanwhile.ts'
import { Migration039WhoIsMeant } from './039-who-is-meant.ts'
import { Migration040BegunBy } from './040-begun-by.ts'
import { Migration041ErasedContacts } from './041-erased-contacts.ts'
import { Migration042ErasedByAddress } from './042-erased-by-address.ts'

/** All migrations, oldest first. One that was released is never changed: a new one follows it. */
export const migrations = [
  Migration001Foundation,
  Migration002KeptHeaders,
  Migration003ActiveVersion,
  Migration004ExternalIds,
  Migration005OneActive,
  Migration006LifeOfKeys,
  Migration007LedgerLists,
  Migration008EventData,
  Migration009Restored,
  Migration010TakenOut,
  Migration011NamespaceId,
  Migration012WakeRetries,
  Migration013WorkedAt,
  Migration014Accounts,
  Migration015Audit,
  Migration016Figures,
  Migration017Revisions,
  Migration018ContactSearch,
  Migration019DraftsBegunWith,
  Migration020Consent,
  Migration021Templates,
  Migration022Campaigns,
  Migration023Senders,
  Migration024Bounces,
  Migration025Imports,
  Migration026ListsGoing,
  Migration027DoubleOptIn,
  Migration028Tracking,
  Migration029Pending,
  Migration030FeedbackCalls,
  Migration031AbTests,
  Migration032WarmUp,
  Migration033LastVisits,
  Migration034ListAsks,
  Migration035WakesOfSequences,
  Migration036LeftLists,
  Migration037AsksOfAnAddress,
  Migration038SaidMeanwhile,
  Migration039WhoIsMeant,
  Migration040BegunBy,
  Migration041ErasedContacts,
  Migration042ErasedByAddress,
]

/** Their names, oldest first. */
export const migrationNames: readonly string[] = migrations.map(
  (Each) => new Each(undefined as never, undefined as never).name,
)
