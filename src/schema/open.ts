import {
  Account,
  Challenge,
  Identity,
  Invitation,
  InvitationWorkspace,
  MailedInvitation,
  Member,
  Passkey,
  Session,
} from '../accounts/index.ts'
import { AuditEntry } from '../audit/index.ts'
import { Automation, AutomationDraft, AutomationVersion, EmailContent, SegmentMember } from '../automations/index.ts'
import { Bounce, FeedbackCall, FeedbackSource } from '../bounces/index.ts'
import { Segment } from '../segments/index.ts'
import { Campaign, CampaignContent } from '../campaigns/index.ts'
import { ErasedContact } from '../consent/index.ts'
import { Contact, ContactTag, FormerAddress, Suppression, ContactCounter } from '../contacts/index.ts'
import { AttachmentContent, TransactionalEmail } from '../emails/index.ts'
import { AutomationCounts, Enrollment } from '../enrollments/index.ts'
import {
  ArchivedCounts,
  CounterChange,
  DomainChange,
  DomainDay,
  FlowCounter,
  LinkChange,
  LinkClicks,
  StepCounter,
} from '../counters/index.ts'
import { Rehearsal, RehearsedContactRow } from '../rehearsal/index.ts'
import { LoggedRequest } from '../request-log/index.ts'
import { StoredResponse } from '../http/index.ts'
import { Import, ImportChunk, ImportError } from '../imports/index.ts'
import { Instance } from '../instance/index.ts'
import { List, ListConfirmationEmail, ListMember, ListOptOut, ListRequest, ListCounter } from '../lists/index.ts'
import { MediaFile } from '../media/index.ts'
import { ClaimAhead, Message } from '../messages/index.ts'
import { OutboxDelivery } from '../outbox/index.ts'
import { Proposal } from '../proposals/index.ts'
import { openOrm, type Orm, type OrmOptions } from '../platform/db/orm.ts'
import { AutomationMove } from '../publishing/index.ts'
import { StepRun, WebhookSecret } from '../steps/index.ts'
import { ProvenDomain, SendRate, SenderSettings, StoredDkimKey, WarmUpDay } from '../senders/index.ts'
import { IdentifiedContact, KeptCall } from '../sources/index.ts'
import { Template, TemplateVersion } from '../templates/index.ts'
import { MessageVisit } from '../tracking/index.ts'
import { ProcessedEvent, RefusedEntry, TriggerEvent } from '../triggers/index.ts'
import { ApiKey, RateSlot, RateWindow, Workspace } from '../workspaces/index.ts'
import { WebhookDelivery, WebhookEndpoint, WebhookEvent } from '../webhooks/index.ts'
import { migrations } from './migrations.ts'

const ENTITIES = [
  Instance,
  Workspace,
  Account,
  Member,
  Session,
  Invitation,
  InvitationWorkspace,
  MailedInvitation,
  Passkey,
  Identity,
  Challenge,
  AuditEntry,
  LoggedRequest,
  ApiKey,
  RateWindow,
  RateSlot,
  StoredResponse,
  Contact,
  ContactTag,
  FormerAddress,
  ContactCounter,
  ListCounter,
  List,
  ListMember,
  ListRequest,
  MediaFile,
  ListConfirmationEmail,
  ListOptOut,
  Suppression,
  ErasedContact,
  Bounce,
  FeedbackSource,
  FeedbackCall,
  Import,
  ImportChunk,
  ImportError,
  KeptCall,
  IdentifiedContact,
  SenderSettings,
  StoredDkimKey,
  WarmUpDay,
  SendRate,
  ProvenDomain,
  Segment,
  Automation,
  AutomationVersion,
  AutomationCounts,
  AutomationDraft,
  EmailContent,
  SegmentMember,
  Template,
  TemplateVersion,
  Campaign,
  CampaignContent,
  Enrollment,
  AutomationMove,
  StepRun,
  WebhookSecret,
  TransactionalEmail,
  AttachmentContent,
  Rehearsal,
  RehearsedContactRow,
  ClaimAhead,
  Message,
  MessageVisit,
  StepCounter,
  FlowCounter,
  ArchivedCounts,
  CounterChange,
  DomainDay,
  DomainChange,
  LinkClicks,
  LinkChange,
  TriggerEvent,
  ProcessedEvent,
  RefusedEntry,
  OutboxDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookDelivery,
  Proposal,
]

/** Opens Dripline's database. @see openOrm */
export const openDatabase = (options: OrmOptions): Orm => openOrm({ entities: ENTITIES, migrations }, options)
