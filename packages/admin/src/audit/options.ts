export interface ListOptions {
  actor?: string;
  login?: string;
  action?: string;
  subject?: string;
  since?: Date;
  limit: number;
  json?: boolean;
}
