type Coverage = {
    readonly networkType?: string | null;
    readonly isConnected?: boolean | null;
    readonly signalStrength?: number | string | null;
};
/** The fields of a position. */
export type Position = {
    readonly latitude: number;
    readonly longitude: number;
    readonly altitude?: number | null;
    /** Metres. */
    readonly accuracy?: number | null;
};
/** Fields of a press besides its time. protocol.md#payload. */
export type AlertFields = Partial<Position> & {
    /** Hardware id of the tracker that was pressed. */
    readonly deviceId?: string;
    /** A silent emergency: nothing rings or lights up on the person's phone. It cannot be taken back. */
    readonly silent?: boolean;
    readonly deviceBattery?: {
        readonly rawValue?: number;
        readonly range?: 'critical' | 'low' | 'medium' | 'ok';
    };
    /** 0 to 100. */
    readonly mobileBattery?: number;
    readonly deviceCoverage?: Coverage;
    readonly mobileCoverage?: Coverage;
};
/** A press as it is sent: the same text each time, since `deviceId` and `timestamp` are its identity. */
export type Alert = AlertFields & {
    readonly timestamp: string;
};
export type FieldProblem = {
    readonly field: string;
    readonly message: string;
};
export {};
