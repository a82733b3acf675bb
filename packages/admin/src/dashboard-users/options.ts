export interface CreateOptions {
  name: string;
  role: string;
  expires: Date | "never";
  json?: boolean;
}

export interface RotateOptions {
  expires: Date | "never";
  yes?: boolean;
  json?: boolean;
}
