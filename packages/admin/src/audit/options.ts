export interface ListOptions {
  actor?: string;
  action?: string;
  subject?: string;
  since?: Date;
  limit: number;
  json?: boolean;
}
