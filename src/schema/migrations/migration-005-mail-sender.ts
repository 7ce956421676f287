import { Migration } from '@mikro-orm/migrations'

/** Under which sender this installation delivers, as whoever sets MAIL_FROM has said: it is one for all of its parts. */
export class Migration005MailSender extends Migration {
  override name = '005-mail-sender'

  override up(): void {
    this.addSql(`alter table installation add column mail_from text`)
  }

  override down(): void {
    this.addSql(`alter table installation drop column mail_from`)
  }
}
